// Where a transaction looks before it changes: rows it has looked at in this way stay as they are until it ends. SQLite has
// one writer at a time and needs no word for it.
import { type Kysely, PostgresAdapter, type SelectQueryBuilder, sql } from 'kysely';
import type { Engine, Tables } from './database.ts';

export function engineOf(tx: Kysely<Tables>): Engine {
  return tx.getExecutor().adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite';
}

/** The rows of a query are ours until the transaction ends; others wait. */
export function lockingRows<TB extends keyof Tables, O>(
  tx: Kysely<Tables>,
  query: SelectQueryBuilder<Tables, TB, O>,
): SelectQueryBuilder<Tables, TB, O> {
  return engineOf(tx) === 'postgres' ? query.forNoKeyUpdate() : query;
}

/** The same, but rows that another transaction holds are passed over: for those that share out work. */
export function lockingFreeRows<TB extends keyof Tables, O>(
  tx: Kysely<Tables>,
  query: SelectQueryBuilder<Tables, TB, O>,
): SelectQueryBuilder<Tables, TB, O> {
  return engineOf(tx) === 'postgres' ? query.forUpdate().skipLocked() : query;
}

/** For what has no row yet: whoever holds a name is alone with it until the transaction ends. */
export async function lockName(tx: Kysely<Tables>, name: string): Promise<void> {
  if (engineOf(tx) === 'postgres')
    await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx);
}
