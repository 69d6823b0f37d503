// What every command needs, with or without a server: the database, the two stores and the secrets.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { endpointsChanged } from './accounts/account-changed.ts';
import { accountMigrations } from './accounts/tables.ts';
import type { Config } from './config.ts';
import type { DeliveryParts } from './events/attempt-delivery.ts';
import { eventMigrations } from './events/tables.ts';
import type { PublicUrls } from './objects/object-json.ts';
import { parseObjectKey } from './objects/object-keys.ts';
import type { Stores } from './objects/stores.ts';
import { objectMigrations } from './objects/tables.ts';
import type { Database, Neighbours } from './platform/database/database.ts';
import { openSqliteDatabase } from './platform/database/sqlite/sqlite-database.ts';
import { jobMigrations } from './platform/jobs/jobs.ts';
import { OperatorError } from './platform/errors.ts';
import { makeFolder } from './platform/make-folder.ts';
import { searchMigrations } from './search/tables.ts';
import { createSecretBox, loadSecretKey, type SecretBox } from './platform/secrets.ts';
import { openStorage } from './platform/storage/open-storage.ts';

export type Core = {
  database: Database;
  stores: Stores;
  urls: PublicUrls;
  secretBox: SecretBox;
};

export const databaseFile = (config: Config): string => join(config.dataDir, 'tintype.db');

export type CoreOptions = {
  /** The database to open: another one only while it is being made anew. */
  file?: string;
  neighbours?: Neighbours;
};

export async function openCore(config: Config, options: CoreOptions = {}): Promise<Core> {
  const { file = databaseFile(config), neighbours } = options;
  makeFolder(config.dataDir);
  const secretBox = createSecretBox(
    await loadSecretKey({ configured: config.SECRET_KEY, dataDir: config.dataDir }),
  );
  const stores = await openStores(config);
  const urls: PublicUrls = { files: config.filesUrl, storage: config.storageUrl };
  if (file === databaseFile(config) && !existsSync(file) && (await holdObjects(stores))) {
    // A fresh one beside the files of a lost one would hide them all.
    throw new OperatorError(
      `${file} is missing, but the stores hold objects. Run "tintype rebuild" to make it again from them.`,
    );
  }
  const database = openSqliteDatabase(file, neighbours);
  await database.migrate([
    ...jobMigrations,
    ...accountMigrations,
    ...eventMigrations,
    ...objectMigrations,
    ...searchMigrations,
  ]);
  return { database, stores, urls, secretBox };
}

/** For whoever calls the receivers of webhooks: what runs behind the answers, and the route that tries one out. */
export function deliveryParts(config: Config, { database, secretBox }: Core): DeliveryParts {
  return {
    database,
    secretBox,
    allowPrivate: config.WEBHOOK_ALLOW_PRIVATE,
    endpointsChanged: (tx, accountId) => endpointsChanged(database, tx, accountId),
  };
}

export async function openStores({ filesStore, storageStore }: Config): Promise<Stores> {
  return { files: await openStorage(filesStore), storage: await openStorage(storageStore) };
}

export async function holdObjects(stores: Stores): Promise<boolean> {
  for (const storage of Object.values(stores)) {
    for await (const { key } of storage.list('')) if (parseObjectKey(key)) return true;
  }
  return false;
}
