// A real database in a folder of its own, with every table, for tests below HTTP.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accountMigrations } from '../../src/accounts/tables.ts';
import { eventMigrations } from '../../src/events/tables.ts';
import { objectMigrations } from '../../src/objects/tables.ts';
import type { Database, Migration } from '../../src/platform/database/database.ts';
import { openSqliteDatabase } from '../../src/platform/database/sqlite/sqlite-database.ts';
import { jobMigrations } from '../../src/platform/jobs/jobs.ts';
import { searchMigrations } from '../../src/search/tables.ts';

export type TempDatabase = {
  folder: string;
  file: string;
  database: Database;
  /** The same file once more, as another process would open it; closed with the rest. */
  openAgain(): Database;
  [Symbol.asyncDispose](): Promise<void>;
};

export const allMigrations: Migration[] = [
  ...jobMigrations,
  ...accountMigrations,
  ...eventMigrations,
  ...objectMigrations,
  ...searchMigrations,
];

export async function openTempDatabase(
  migrations: readonly Migration[] = allMigrations,
): Promise<TempDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'tintype-database-'));
  const file = join(folder, 'tintype.db');
  const open: Database[] = [];
  const openAgain = (): Database => {
    const database = openSqliteDatabase(file);
    open.push(database);
    return database;
  };
  const database = openAgain();
  await database.migrate(migrations);
  return {
    folder,
    file,
    database,
    openAgain,
    async [Symbol.asyncDispose]() {
      for (const each of open) await each.close();
      await rm(folder, { recursive: true });
    },
  };
}
