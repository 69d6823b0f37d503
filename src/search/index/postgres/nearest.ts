// The nearest vectors of an account. By looking at all of them, in their short form, which is right whatever else there is; or
// along the graph that a large account has. Either gives candidates, whose true cosines then decide.
import { type RawBuilder, sql } from 'kysely';
import type { Database, Tx } from '../../../platform/database/database.ts';
import type { NearestQuery, Neighbour } from '../picture-index.ts';
import { countAmong, isOneOfFew, isOneOfMany } from './among-condition.ts';
import type { Graphs } from './graphs.ts';
import { vectorText } from './vector-text.ts';

/** Candidates beyond what is wanted: short forms may change the order of vectors that are nearly as near. */
const spareCandidates = 50;
/** How far a graph looks around: as far as about ten milliseconds allow, which is farther where vectors are short. */
const lookedAtNumbers = 200_000;
const leastLook = 200;
/** Looking farther finds hardly more, even for questions unlike anything in the account. */
const enoughLook = 400;
/** PostgreSQL allows no more. */
const mostLook = 1000;
/** Vectors a graph looks at before it gives up finding enough that pass a filter; reading all is then the better way. */
const mostLookedAt = 40_000;

type Found = Neighbour & { candidates: number };

export async function nearest(database: Database, graphs: Graphs, query: NearestQuery): Promise<Neighbour[]> {
  const { space, vector, among, minCosine } = query;
  if (vector.length !== space.dimensions)
    throw new Error('A question has not as many dimensions as its space');
  const found =
    among !== null && countAmong(among) <= graphs.exactUpTo
      ? await amongFew(database, query)
      : await amongMany(database, graphs, query);
  return found
    .filter(({ cosine }) => cosine >= minCosine)
    .map(({ generation, cosine }) => ({ generation, cosine }));
}

async function amongFew(database: Database, query: NearestQuery): Promise<Found[]> {
  const { among } = query;
  if (among === null || countAmong(among) === 0) return [];
  return ask(database.read, query, isOneOfFew(among), byAll);
}

async function amongMany(database: Database, graphs: Graphs, query: NearestQuery): Promise<Found[]> {
  const condition = query.among === null ? sql<boolean>`true` : isOneOfMany(query.among);
  const size = await graphs.sizeOf(query.accountId, query.space);
  if (size === 'small') return ask(database.read, query, condition, byAll);
  if (size === 'graph') {
    const found = await alongGraph(database, query, condition);
    if (found[0]?.candidates === candidatesFor(query)) return found;
  }
  return askWith(database, { jit: 'off' }, (tx) => ask(tx, query, condition, byAll));
}

function alongGraph(
  database: Database,
  query: NearestQuery,
  condition: RawBuilder<boolean>,
): Promise<Found[]> {
  const look = Math.min(mostLook, Math.max(lookFor(query.space.dimensions), candidatesFor(query)));
  const distance = sql.raw(`short::halfvec(${query.space.dimensions})`);
  const settings = {
    'hnsw.ef_search': look,
    'hnsw.max_scan_tuples': mostLookedAt,
    // It goes on until enough pass the filter, and need not keep the order.
    'hnsw.iterative_scan': 'relaxed_order',
    // Without sorting there is only the graph.
    enable_sort: 'off',
    // What is forbidden counts as very costly, and what is costly would be compiled, which takes far longer than it runs.
    jit: 'off',
  };
  return askWith(database, settings, (tx) =>
    ask(tx, query, condition, sql`${distance} <#> (select short from question)`),
  );
}

/** The settings hold for this transaction alone. */
function askWith(
  database: Database,
  settings: Record<string, string | number>,
  work: (tx: Tx) => Promise<Found[]>,
): Promise<Found[]> {
  return database.write(async (tx) => {
    const set = Object.entries(settings).map(
      ([name, value]) => sql`set_config(${name}, ${String(value)}, true)`,
    );
    const [, found] = await Promise.all([sql`select ${sql.join(set)}`.execute(tx), work(tx)]);
    return found;
  });
}

/** Of equal ones the newest first. No graph has this order, so none is used for it. */
const byAll = sql`short <#> (select short from question), seq desc`;

async function ask(
  source: Tx,
  query: NearestQuery,
  condition: RawBuilder<boolean>,
  order: RawBuilder<unknown>,
): Promise<Found[]> {
  const { accountId, space, vector, limit } = query;
  const { rows } = await sql<Found>`
    with question as materialized (select whole, whole::halfvec as short
      from (select cast(${vectorText(vector)} as vector) as whole) as given),
    near as materialized (select vector_id from vectors
      where account_id = ${accountId} and model = ${space.model} and dimensions = cast(${space.dimensions} as bigint)
        and ${condition} order by ${order} limit ${candidatesFor(query)}),
    judged as (select generation, seq, -(vector <#> (select whole from question)) as cosine
      from near join vectors using (vector_id))
    select generation, cosine, (select count(*) from near) as candidates
      from judged order by cosine desc, seq desc limit ${limit}`.execute(source);
  return rows;
}

function lookFor(dimensions: number): number {
  return Math.min(enoughLook, Math.max(leastLook, Math.round(lookedAtNumbers / dimensions)));
}

function candidatesFor({ limit }: NearestQuery): number {
  return 2 * limit + spareCandidates;
}
