// Sessions of a real server, through `pg`: a bounded pool, every statement sent without waiting for the one before.
import type * as Pg from 'pg';
import type { Client, ClientConfig, Pool, PoolClient } from 'pg';
import { databaseAway } from './failures.ts';
import { PreparedNames } from './prepared-names.ts';
import type {
  Notification,
  PooledSession,
  PostgresQuery,
  PostgresResult,
  Sessions,
  Watch,
} from './sessions.ts';

export type PgSessionsOptions = { url: string; maxSessions: number };

/** Longer than anything we ask for in the course of a request; what takes longer by nature lifts it for itself. */
const statementTimeoutMs = 10_000;
const lockTimeoutMs = 5_000;
/** A node that was frozen or lost its power holds up others no longer than this. */
const idleInTransactionMs = 3_000;
/** Waiting for a free session included. */
const acquireTimeoutMs = 10_000;
/** For a line that died without a word; the watch notices a server that did. */
const answerTimeoutMs = 20_000;
const idleSessionMs = 60_000;
const watchConnectMs = 1_500;

/** By it a server lists the processes that use it. */
export const watchSessionName = 'tintype watch';

const preparedNames = new PreparedNames();

export async function openPgSessions({ url, maxSessions }: PgSessionsOptions): Promise<Sessions> {
  const pg = await import('pg');
  const settings: ClientConfig = {
    connectionString: url,
    application_name: 'tintype',
    pipeline: true,
    statement_timeout: statementTimeoutMs,
    lock_timeout: lockTimeoutMs,
    idle_in_transaction_session_timeout: idleInTransactionMs,
    query_timeout: answerTimeoutMs,
    connectionTimeoutMillis: acquireTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: { getTypeParser: (oid: number, format?: 'text' | 'binary') => parserOf(pg, oid, format) },
  };
  const makePool = (): Pool => {
    const made = new pg.Pool({ ...settings, max: maxSessions, idleTimeoutMillis: idleSessionMs });
    // Both are told to whoever runs a statement; unheard, they would end the process.
    made.on('error', () => undefined);
    made.on('connect', (client) => client.on('error', () => undefined));
    return made;
  };
  return new PgSessions(
    makePool,
    () =>
      new pg.Client({
        ...settings,
        application_name: watchSessionName,
        connectionTimeoutMillis: watchConnectMs,
      }),
  );
}

class PgSessions implements Sessions {
  readonly #makePool: () => Pool;
  readonly #makeClient: () => Client;
  readonly #inUse = new Set<PoolClient>();
  readonly #waiting = new Set<(error: Error) => void>();
  #pool: Pool;
  #away = false;

  constructor(makePool: () => Pool, makeClient: () => Client) {
    this.#makePool = makePool;
    this.#makeClient = makeClient;
    this.#pool = makePool();
  }

  async acquire(): Promise<PooledSession> {
    if (this.#away) throw databaseAway();
    const pool = this.#pool;
    const client = await this.#unlessAway(pool.connect());
    this.#inUse.add(client);
    return {
      query: (query) => run(client, query),
      release: ({ broken } = { broken: false }) => {
        if (this.#inUse.delete(client)) client.release(broken);
      },
    };
  }

  async watch(channels: readonly string[], hear: (notification: Notification) => void): Promise<Watch> {
    const client = this.#makeClient();
    let onEnd: (() => void) | null = null;
    let ended = false;
    const end = (): void => {
      ended = true;
      onEnd?.();
      onEnd = null;
    };
    client.on('error', end);
    client.on('end', end);
    client.on('notification', ({ channel, payload }) => hear({ channel, payload: payload ?? '' }));
    try {
      await client.connect();
      for (const channel of channels) {
        const listen = { text: `listen ${channel}`, query_timeout: watchConnectMs };
        await client.query(listen);
      }
    } catch (error) {
      destroy(client);
      throw error;
    }
    return {
      query: (query) => run(client, query),
      onEnd(listener) {
        if (ended) listener();
        else onEnd = listener;
      },
      end: () => destroy(client),
    };
  }

  setAway(away: boolean): void {
    if (away === this.#away) return;
    this.#away = away;
    if (!away) return;
    for (const client of this.#inUse) destroy(client);
    for (const refuse of this.#waiting) refuse(databaseAway());
    // What is idle there, or still connecting, is lost to the same outage.
    void this.#pool.end().catch(() => undefined);
    this.#pool = this.#makePool();
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  #unlessAway(connecting: Promise<PoolClient>): Promise<PoolClient> {
    return new Promise((resolve, reject) => {
      let open = true;
      const refuse = (error: Error): void => {
        open = false;
        this.#waiting.delete(refuse);
        reject(error);
      };
      this.#waiting.add(refuse);
      connecting.then(
        (client) => {
          this.#waiting.delete(refuse);
          if (open) resolve(client);
          else client.release(true);
        },
        (error: Error) => refuse(error),
      );
    });
  }
}

async function run(client: Client, { text, values = [] }: PostgresQuery): Promise<PostgresResult> {
  const { stream } = client.connection;
  // Whatever is asked for in one go leaves in one packet.
  stream.cork();
  process.nextTick(() => stream.uncork());
  const name = values.length > 0 ? preparedNames.nameOf(text) : undefined;
  const result = await client.query({ text, values: [...values], ...(name ? { name } : {}) });
  return { rows: result.rows, changes: result.rowCount ?? 0, command: result.command };
}

function destroy(client: Client): void {
  client.connection.stream.destroy();
}

const int8 = 20;
const numeric = 1700;

/** Counts, times and sums fit into a number; `pg` would give them as texts. */
function parserOf(pg: typeof Pg, oid: number, format?: 'text' | 'binary'): (text: string) => unknown {
  if (oid === int8 || oid === numeric) return Number;
  return pg.types.getTypeParser(oid, format as 'text');
}
