// A table of counters, for tests of transactions.
import { sql } from 'kysely';
import type { Database, Tx } from '../../src/platform/database/database.ts';

export async function createCounters(tx: Tx): Promise<void> {
  await sql`create table counters (name text primary key, value bigint not null)`.execute(tx);
}

/** Reads, thinks and writes: only right when nobody comes in between. */
export async function increment(tx: Tx, name: string, by: number): Promise<void> {
  const now = await sql<{ value: number }>`select value from counters where name = ${name}`.execute(tx);
  await Promise.resolve();
  const value = (now.rows[0]?.value ?? 0) + by;
  await sql`insert into counters values (${name}, ${value}) on conflict (name) do update set value = ${value}`.execute(
    tx,
  );
}

export async function valueOf(database: Database, name: string): Promise<number | undefined> {
  const { rows } = await sql<{ value: number }>`select value from counters where name = ${name}`.execute(
    database.read,
  );
  return rows[0]?.value;
}
