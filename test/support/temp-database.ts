// A real database of its own, with every table, for tests below HTTP: of the engine that TEST_DATABASE names.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../../src/config.ts';
import { migrationsFor } from '../../src/core.ts';
import { openDatabase } from '../../src/open-database.ts';
import type { Database, Migration, Neighbours } from '../../src/platform/database/database.ts';
import { databaseOfFolder, dropDatabaseOfFolder } from './test-database.ts';

export type TempDatabase = {
  folder: string;
  /** Of SQLite. */
  file: string;
  database: Database;
  /** The same once more, as another process would open it; closed with the rest. */
  openAgain(neighbours?: Neighbours): Promise<Database>;
  [Symbol.asyncDispose](): Promise<void>;
};

export async function openTempDatabase(migrations?: readonly Migration[]): Promise<TempDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'tintype-database-'));
  const file = join(folder, 'tintype.db');
  const { environment, openDatabase: openHere } = await databaseOfFolder(folder);
  const config = { DATABASE_URL: environment['DATABASE_URL'], DATABASE_SESSIONS: 10 } as Config;
  const open: Database[] = [];
  const openAgain = async (neighbours?: Neighbours): Promise<Database> => {
    const database = await (openHere?.(config, neighbours) ?? openDatabase(config, file, neighbours));
    open.push(database);
    return database;
  };
  const database = await openAgain();
  await database.migrate(migrations ?? migrationsFor(database));
  return {
    folder,
    file,
    database,
    openAgain,
    async [Symbol.asyncDispose]() {
      for (const each of open) await each.close();
      await dropDatabaseOfFolder(folder);
      await rm(folder, { recursive: true });
    },
  };
}
