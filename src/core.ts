// What every command needs, with or without a server: the database, the two stores and the secrets.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { endpointsChanged } from './accounts/account-changed.ts';
import { requestRateMigrations } from './accounts/request-rate-tables.ts';
import { accountMigrations } from './accounts/tables.ts';
import type { Config } from './config.ts';
import type { DeliveryParts } from './events/attempt-delivery.ts';
import { eventMigrations } from './events/tables.ts';
import { imageMigrations } from './images/tables.ts';
import type { Sharing } from './images/variants/sharing.ts';
import { readMovedStores, refuseMovedStores } from './keeping/files/moved-stores.ts';
import { readMovesOfNodes } from './keeping/files/moves-of-nodes.ts';
import { refuseHalfCopied } from './keeping/moving/copy-state.ts';
import { refuseFenced, refuseMovedFile } from './keeping/moving/moved-database.ts';
import { listStored } from './objects/list-stored.ts';
import type { PublicUrls } from './objects/object-json.ts';
import { isImmutableKey, parseObjectKey } from './objects/object-keys.ts';
import type { Stores } from './objects/stores.ts';
import { objectMigrations } from './objects/tables.ts';
import type { Database, Migration, Neighbours } from './platform/database/database.ts';
import { openSqliteDatabase } from './platform/database/sqlite/sqlite-database.ts';
import { jobMigrations } from './platform/jobs/jobs.ts';
import { OperatorError } from './platform/errors.ts';
import { makeFolder } from './platform/make-folder.ts';
import { checkSecretKey } from './check-secret-key.ts';
import { openDatabase } from './open-database.ts';
import { postgresPictureMigrations } from './search/index/postgres/tables.ts';
import { sqlitePictureMigrations } from './search/index/sqlite/tables.ts';
import { searchMigrations } from './search/tables.ts';
import { createSecretBox, loadSecretKey, type SecretBox } from './platform/secrets.ts';
import { LocalCopies } from './platform/storage/local-copies.ts';
import { openStorage } from './platform/storage/open-storage.ts';
import type { Storage } from './platform/storage/storage.ts';

export type Core = {
  database: Database;
  stores: Stores;
  urls: PublicUrls;
  secretBox: SecretBox;
  sharing: Sharing;
};

/** Of the embedded default. */
export const databaseFile = (config: Config): string => join(config.dataDir, 'tintype.db');

export type OpenDatabase = (config: Config, neighbours?: Neighbours) => Promise<Database>;
export type CoreOptions = {
  /** An embedded database at another place, whatever the settings say: while one is being made anew. */
  file?: string;
  /** Into an empty database beside stores that hold objects: it is about to be made again from them. */
  rebuilding?: boolean;
  /** For databases that no setting names and other nodes use as well. */
  openDatabase?: OpenDatabase | undefined;
  neighbours?: Neighbours;
};

export async function openCore(config: Config, options: CoreOptions = {}): Promise<Core> {
  makeFolder(config.dataDir);
  refuseMovedStores(config, readMovedStores(config.dataDir));
  const secretBox = createSecretBox(
    await loadSecretKey({ configured: config.SECRET_KEY, dataDir: config.dataDir }),
  );
  const stores = await openStores(config);
  const urls: PublicUrls = { files: config.filesUrl, storage: config.storageUrl };
  const database = await openIts(config, stores, options);
  try {
    if (!options.rebuilding) await refuseUnfinished(database);
    const isNew = database.engine === 'postgres' && !(await hasTables(database));
    if (isNew && !options.rebuilding) await refuseOrphans(stores, 'The database');
    await database.migrate(migrationsFor(database));
    if (database.engine === 'postgres') {
      await checkSecretKey(database, secretBox);
      refuseMovedStores(config, await readMovesOfNodes(database.read));
    }
    const isShared = database.engine === 'postgres' || options.openDatabase !== undefined;
    return { database, stores, urls, secretBox, sharing: sharingOf(config, isShared) };
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function openIts(config: Config, stores: Stores, options: CoreOptions): Promise<Database> {
  const { file, neighbours } = options;
  if (file) return openSqliteDatabase(file, neighbours);
  if (options.openDatabase) return options.openDatabase(config, neighbours);
  const ownFile = databaseFile(config);
  if (!config.DATABASE_URL) refuseMovedFile(ownFile);
  if (!config.DATABASE_URL && !existsSync(ownFile)) await refuseOrphans(stores, ownFile);
  return openDatabase(config, ownFile, neighbours);
}

async function refuseUnfinished(database: Database): Promise<void> {
  if (database.engine === 'sqlite') await refuseFenced(database.read);
  await refuseHalfCopied(database);
}

/** A fresh database beside the files of a lost one would hide them all. */
async function refuseOrphans(stores: Stores, missing: string): Promise<void> {
  if (!(await holdObjects(stores))) return;
  throw new OperatorError(
    `${missing} is missing, but the stores hold objects. Run "tintype rebuild" to make it again from them.`,
  );
}

export async function hasTables(database: Database): Promise<boolean> {
  const tables = sql`select 1 where to_regclass('objects') is not null`;
  return (await tables.execute(database.read)).rows.length > 0;
}

export function migrationsFor({ engine }: Pick<Database, 'engine'>): Migration[] {
  return [
    ...jobMigrations,
    ...accountMigrations,
    ...eventMigrations,
    ...objectMigrations,
    ...imageMigrations,
    ...requestRateMigrations,
    ...searchMigrations,
    ...(engine === 'sqlite' ? sqlitePictureMigrations : postgresPictureMigrations),
  ];
}

/** Nodes on one database see the same stores; a single one may have them elsewhere, and its disk may be lost. */
function sharingOf({ filesStore, storageStore }: Config, isDatabaseShared: boolean): Sharing {
  const addresses = { files: filesStore, storage: storageStore };
  const names = Object.keys(addresses) as (keyof typeof addresses)[];
  const stores = names.filter((name) => isDatabaseShared || addresses[name].startsWith('s3:'));
  return { database: isDatabaseShared, stores: new Set(stores) };
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

export async function openStores(config: Config): Promise<Stores> {
  const copies = new LocalCopies({
    folder: join(config.dataDir, 'copies'),
    maxBytes: config.COPIES_MAX_BYTES,
  });
  const open = (address: string, name: keyof Stores): Promise<Storage> =>
    openStorage(address, { copies: () => copies, name, isImmutable: isImmutableKey });
  const [files, storage] = await Promise.all([
    open(config.filesStore, 'files'),
    open(config.storageStore, 'storage'),
  ]);
  return { files, storage };
}

export async function holdObjects(stores: Stores): Promise<boolean> {
  for (const storage of Object.values(stores)) {
    for await (const { key } of listStored(storage)) if (parseObjectKey(key)) return true;
  }
  return false;
}
