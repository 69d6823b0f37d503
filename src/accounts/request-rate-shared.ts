// Requests counted in PostgreSQL, for all nodes of a service, by the same library and with the same windows as in memory.
// A window that is used up is remembered here until it ends, so that a flood of requests does not become one of queries.
import { CompiledQuery } from 'kysely';
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import { Lru } from '../lib/lru.ts';
import { withinTime } from '../lib/within-time.ts';
import type { Database } from '../platform/database/database.ts';
import { NamedTurns } from '../platform/flights/named-turns.ts';
import { countInMemory, type Counted, type CountOne, limiterOptions } from './request-rate.ts';
import { requestRateTable } from './request-rate-tables.ts';

/** A request must not wait longer to be counted: the node then counts for itself. */
const maxDatabaseMs = 500;
const restMs = 1000;
const maxRemembered = 50_000;

type Query = { readonly text: string; readonly values?: readonly unknown[] };
type CountingDatabase = Pick<Database, 'read' | 'now'>;

export function countInDatabase(database: CountingDatabase): CountOne {
  const counters = new RateLimiterPostgres({
    ...limiterOptions,
    storeClient: { query: (query: Query) => runQuery(database, query) },
    storeType: 'client',
    tableName: requestRateTable,
    // By a migration: nodes that start at once would make it together.
    tableCreated: true,
  });
  const countOne = countTogether((name, points, seconds) =>
    withinTime(counters.penalty(name, points, { customDuration: seconds }), maxDatabaseMs),
  );
  const countHere = countInMemory();
  const usedUpUntil = new Lru<string, number>(maxRemembered);
  let restUntil = 0;

  return async (name, window) => {
    const remembered = (usedUpUntil.get(name) ?? 0) - Date.now();
    if (remembered > 0) return { consumedPoints: window.quota + 1, msBeforeNext: remembered };
    const counted = Date.now() < restUntil ? undefined : await countOne(name, window.seconds);
    if (!counted) {
      if (Date.now() >= restUntil) restUntil = Date.now() + restMs;
      return countHere(name, window);
    }
    if (counted.consumedPoints > window.quota) usedUpUntil.set(name, Date.now() + counted.msBeforeNext);
    return counted;
  };
}

type Together = { points: number; readonly counted: Promise<Counted | undefined> };

/** Those who come while their name is being counted are counted together after it: one connection for each name. */
function countTogether(
  countMany: (name: string, points: number, seconds: number) => Promise<Counted | undefined>,
): (name: string, seconds: number) => Promise<Counted | undefined> {
  const turns = new NamedTurns();
  const waiting = new Map<string, Together>();

  function begin(name: string, seconds: number): Together {
    const counted = turns.take(name).then(async (endTurn) => {
      waiting.delete(name);
      return countMany(name, together.points, seconds).finally(endTurn);
    });
    const together: Together = { points: 0, counted };
    waiting.set(name, together);
    return together;
  }

  return async (name, seconds) => {
    const together = waiting.get(name) ?? begin(name, seconds);
    const place = ++together.points;
    const counted = await together.counted;
    return (
      counted && {
        msBeforeNext: counted.msBeforeNext,
        consumedPoints: counted.consumedPoints - together.points + place,
      }
    );
  };
}

/**
 * The library takes the time from this node's clock, and nodes disagree: what it sends is put to the database's time, and
 * what it gets back to its own. Times may be fractions there, which the column refuses.
 */
async function runQuery(database: CountingDatabase, { text, values = [] }: Query) {
  const aheadMs = database.now() - Date.now();
  const isTime = (value: unknown): value is number => typeof value === 'number' && value > leastTime;
  const sent = values.map((value) => (isTime(value) ? Math.round(value + aheadMs) : value));
  const { rows, numAffectedRows } = await database.read.executeQuery<{ points?: number; expire?: number }>(
    CompiledQuery.raw(text, sent),
  );
  const received = rows.map((row) => (row.expire ? { ...row, expire: Number(row.expire) - aheadMs } : row));
  return { rows: received, rowCount: Number(numAffectedRows ?? rows.length) };
}

/** No count of requests is as large as a time in milliseconds. */
const leastTime = 1e11;
