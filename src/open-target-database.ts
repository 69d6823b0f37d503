// From the address of a database that is to be filled to that database, with the index of pictures it has.
import { isAbsolute } from 'node:path';
import { checkSecretKey } from './check-secret-key.ts';
import { migrationsFor } from './core.ts';
import type { Database } from './platform/database/database.ts';
import { openPgSessions } from './platform/database/postgres/pg-sessions.ts';
import { openPostgresDatabase } from './platform/database/postgres/postgres-database.ts';
import { openSqliteDatabase } from './platform/database/sqlite/sqlite-database.ts';
import { OperatorError } from './platform/errors.ts';
import type { SecretBox } from './platform/secrets.ts';
import type { PictureIndex } from './search/index/picture-index.ts';
import { openPostgresPictureIndex } from './search/index/postgres/postgres-picture-index.ts';
import { openSqlitePictureIndex } from './search/index/sqlite/sqlite-picture-index.ts';
import { databaseAddress } from './setting-kinds.ts';

const sessions = 4;

export type TargetDatabase = {
  database: Database;
  pictures: PictureIndex;
  readonly close: () => Promise<void>;
};

export async function openTargetDatabase(address: string): Promise<TargetDatabase> {
  const { database, pictures } = address.startsWith('sqlite:')
    ? openSqliteTarget(address.slice('sqlite:'.length))
    : await openPostgresTarget(address);
  return {
    database,
    pictures,
    async close() {
      await pictures.close();
      await database.close();
    },
  };
}

/** As this version has them; and the key its secrets are sealed with is noted, so that no node begins with another. */
export async function makeTables(database: Database, secretBox: SecretBox): Promise<void> {
  await database.migrate(migrationsFor(database));
  if (database.engine === 'postgres') await checkSecretKey(database, secretBox);
}

type Target = Omit<TargetDatabase, 'close'>;

function openSqliteTarget(file: string): Target {
  if (!isAbsolute(file)) throw new OperatorError('The address of a SQLite file is sqlite:/absolute/path');
  return { database: openSqliteDatabase(file), pictures: openSqlitePictureIndex({ file }) };
}

async function openPostgresTarget(address: string): Promise<Target> {
  try {
    const url = databaseAddress(address);
    const database = await openPostgresDatabase(await openPgSessions({ url, maxSessions: sessions }));
    return { database, pictures: openPostgresPictureIndex({ database }) };
  } catch (error) {
    // The address may hold a password and is not repeated.
    throw new OperatorError(`The target database cannot be used: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
