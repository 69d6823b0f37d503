// From the address of a database that is to be filled to that database, with the index of pictures it has.
import { isAbsolute } from 'node:path';
import type { Database } from './platform/database/database.ts';
import { openSqliteDatabase } from './platform/database/sqlite/sqlite-database.ts';
import { OperatorError } from './platform/errors.ts';
import type { PictureIndex } from './search/index/picture-index.ts';
import { openSqlitePictureIndex } from './search/index/sqlite/sqlite-picture-index.ts';

export type TargetDatabase = { database: Database; pictures: PictureIndex; close(): Promise<void> };

export async function openTargetDatabase(address: string): Promise<TargetDatabase> {
  if (!address.startsWith('sqlite:'))
    throw new OperatorError('PostgreSQL is not available in this version; sqlite:/absolute/path is');
  const file = address.slice('sqlite:'.length);
  if (!isAbsolute(file)) throw new OperatorError('The address of a SQLite file is sqlite:/absolute/path');
  const database = openSqliteDatabase(file);
  const pictures = openSqlitePictureIndex({ file });
  return {
    database,
    pictures,
    async close() {
      await pictures.close();
      await database.close();
    },
  };
}
