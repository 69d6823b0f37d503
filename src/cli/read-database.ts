// The database there is, only to be looked at: nothing is made or migrated, and a server may run beside.
import { existsSync } from 'node:fs';
import type { Kysely } from 'kysely';
import type { Config } from '../config.ts';
import { databaseFile, hasTables } from '../core.ts';
import { openDatabase } from '../open-database.ts';
import type { Database, Tables } from '../platform/database/database.ts';
import { openSqliteReader } from '../platform/database/sqlite/file.ts';

/** Null when there is none yet. */
export async function readDatabase<T>(
  config: Config,
  look: (read: Kysely<Tables>) => Promise<T>,
): Promise<T | null> {
  if (!config.DATABASE_URL) {
    if (!existsSync(databaseFile(config))) return null;
    using database = openSqliteReader(databaseFile(config));
    return await look(database.read);
  }
  return withDatabase(config, async (database) =>
    (await hasTables(database)) ? await look(database.read) : null,
  );
}

/** For what is noted in a database whatever state the rest is in. */
export async function withDatabase<T>(config: Config, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase(config, databaseFile(config));
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
