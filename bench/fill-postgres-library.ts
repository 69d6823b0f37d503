// The library of a million objects once more, in PostgreSQL: the rows of the SQLite one, copied in bulk. Kept between runs as
// a database of its own.
import Sqlite from 'better-sqlite3';
import type { Client } from 'pg';
import { ensureOperatorAccount } from '../src/accounts/accounts.ts';
import { migrationsFor } from '../src/core.ts';
import { openPgSessions } from '../src/platform/database/postgres/pg-sessions.ts';
import { openPostgresDatabase } from '../src/platform/database/postgres/postgres-database.ts';
import { filledLibrary, libraryFingerprint } from './fill-library.ts';
import { connected, dropDatabase, namedDatabase } from './support/bench-database.ts';
import { operatorKey } from './support/service.ts';

const rowsAtATime = 1000;
const tables = ['objects', 'facets', 'facet_blocks'];

export async function filledPostgresLibrary(): Promise<string> {
  const name = `tintype_bench_${libraryFingerprint().slice(0, 16)}`;
  const { url, isNew } = await namedDatabase(name);
  if (!isNew) return url;
  try {
    await fill(url);
  } catch (error) {
    await dropDatabase(name);
    throw error;
  }
  return url;
}

async function fill(url: string): Promise<void> {
  const database = await openPostgresDatabase(await openPgSessions({ url, maxSessions: 2 }));
  await database.migrate(migrationsFor(database));
  await ensureOperatorAccount(database, { bootstrapKey: operatorKey });
  await database.close();
  const sqlite = new Sqlite(await filledLibrary(), { readonly: true });
  await using postgres = await connected(url);
  const { rows } = await postgres.query('select account_id, bucket_id from accounts');
  const owner = rows[0] as Record<string, unknown>;
  await postgres.query('begin');
  for (const table of tables) await copyTable(sqlite, postgres, table, owner);
  const account = sqlite
    .prepare('select object_count, storage_used_bytes, next_seq from accounts')
    .get() as object;
  await postgres.query(
    'update accounts set object_count = $1, storage_used_bytes = $2, next_seq = $3',
    Object.values(account),
  );
  await postgres.query('commit');
  await postgres.query('vacuum analyze');
  sqlite.close();
}

async function copyTable(
  sqlite: Sqlite.Database,
  postgres: Client,
  table: string,
  owner: Record<string, unknown>,
): Promise<void> {
  let batch: Record<string, unknown>[] = [];
  for (const row of sqlite.prepare(`select * from ${table}`).iterate() as Iterable<Record<string, unknown>>) {
    for (const column of Object.keys(owner)) if (column in row) row[column] = owner[column];
    batch.push(row);
    if (batch.length < rowsAtATime) continue;
    await insert(postgres, table, batch);
    batch = [];
  }
  if (batch.length > 0) await insert(postgres, table, batch);
}

async function insert(postgres: Client, table: string, rows: Record<string, unknown>[]): Promise<void> {
  const columns = Object.keys(rows[0] as object);
  let at = 0;
  const places = rows.map(() => `(${columns.map(() => `$${++at}`).join()})`);
  await postgres.query(
    `insert into ${table} (${columns.join()}) values ${places.join()}`,
    rows.flatMap((row) => columns.map((column) => row[column])),
  );
}
