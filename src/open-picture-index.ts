// The index of pictures that belongs to the database the service runs on.
import type { Config } from './config.ts';
import { databaseFile } from './core.ts';
import type { Database } from './platform/database/database.ts';
import type { Log } from './platform/log.ts';
import type { PictureIndex } from './search/index/picture-index.ts';
import { openBuildSession } from './search/index/postgres/build-session.ts';
import { openPostgresPictureIndex } from './search/index/postgres/postgres-picture-index.ts';
import { openSqlitePictureIndex } from './search/index/sqlite/sqlite-picture-index.ts';

export function openPictureIndex(config: Config, database: Database, log?: Log): PictureIndex {
  const logged = log ? { log } : {};
  if (database.engine === 'sqlite') return openSqlitePictureIndex({ file: databaseFile(config), ...logged });
  const url = config.DATABASE_URL;
  return openPostgresPictureIndex({
    database,
    openSession: url ? () => openBuildSession(url) : undefined,
    ...logged,
  });
}
