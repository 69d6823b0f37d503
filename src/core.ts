// What every command needs, with or without a server: the database, the two stores and the secrets.
import { join } from 'node:path';
import { accountMigrations } from './accounts/tables.ts';
import type { Config } from './config.ts';
import type { PublicUrls } from './objects/object-json.ts';
import { UploadStore } from './objects/store-upload.ts';
import type { Stores } from './objects/stores.ts';
import { objectMigrations } from './objects/tables.ts';
import type { Database } from './platform/database/database.ts';
import { openSqliteDatabase } from './platform/database/sqlite-database.ts';
import { jobMigrations } from './platform/jobs/jobs.ts';
import { makeFolder } from './platform/make-folder.ts';
import { createSecretBox, loadSecretKey, type SecretBox } from './platform/secrets.ts';
import { openStorage } from './platform/storage/open-storage.ts';

export type Core = {
  database: Database;
  stores: Stores;
  urls: PublicUrls;
  secretBox: SecretBox;
  uploads: UploadStore;
};

export const databaseFile = (config: Config): string => join(config.dataDir, 'tintype.db');

/** `file` is the database to open: another one only while it is being made anew. */
export async function openCore(config: Config, file = databaseFile(config)): Promise<Core> {
  makeFolder(config.dataDir);
  const secretBox = createSecretBox(
    await loadSecretKey({ configured: config.SECRET_KEY, dataDir: config.dataDir }),
  );
  const stores: Stores = {
    files: await openStorage(config.filesStore),
    storage: await openStorage(config.storageStore),
  };
  const urls: PublicUrls = { files: config.filesUrl, storage: config.storageUrl };
  const database = openSqliteDatabase(file);
  await database.migrate([...jobMigrations, ...accountMigrations, ...objectMigrations]);
  return { database, stores, urls, secretBox, uploads: new UploadStore({ database, stores, urls }) };
}
