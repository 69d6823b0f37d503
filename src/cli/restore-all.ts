// The work of a restore: files first and the database last, so that nobody can serve before all is there.
import { existsSync } from 'node:fs';
import { accountChanged } from '../accounts/account-changed.ts';
import type { Config } from '../config.ts';
import { databaseFile } from '../core.ts';
import { type BackupFile } from '../keeping/backup/backup-format.ts';
import { claimForRestore, loadDatabase } from '../keeping/backup/load-database.ts';
import { type Missing, restoreFiles } from '../keeping/backup/restore-files.ts';
import { readRowFile } from '../keeping/backup/row-file.ts';
import { deleteObject } from '../objects/change-object.ts';
import type { Stores } from '../objects/stores.ts';
import type { ObjectRow } from '../objects/tables.ts';
import type { Database } from '../platform/database/database.ts';
import {
  faultsOfSqliteFile,
  removeSqliteFile,
  replaceSqliteFile,
  sealSqliteFile,
} from '../platform/database/sqlite/file.ts';
import type { Storage } from '../platform/storage/storage.ts';
import { openBareStores } from '../open-bare-stores.ts';
import { makeTables, openTargetDatabase, type TargetDatabase } from '../open-target-database.ts';
import { createSecretBox, loadSecretKey } from '../platform/secrets.ts';
import { startProgress } from './progress.ts';

export type Restored = { rows: number; objects: number; missing: Missing[] };

export async function restoreAll(config: Config, storage: Storage, backup: BackupFile): Promise<Restored> {
  const stores = await openBareStores(config);
  if (config.DATABASE_URL) await claim(config.DATABASE_URL, backup);
  const objects = backup.tables.find(({ name }) => name === 'objects') as BackupFile['vectors'];
  const progress = startProgress('Restoring objects:', objects.rows);
  let missing: Missing[];
  try {
    const rows = readRowFile(storage, objects) as AsyncIterable<unknown> as AsyncIterable<ObjectRow>;
    missing = await restoreFiles({ stores, storage, onObject: () => progress.advance(1) }, rows);
  } finally {
    progress.stop();
  }
  await restoreDatabase(config, stores, { storage, backup, missing });
  const rows = backup.tables.reduce((sum, table) => sum + table.rows, 0);
  return { rows, objects: objects.rows, missing };
}

/** Before the files: a target that is in use is refused at once, and nobody begins to use one that is free. */
async function claim(address: string, backup: BackupFile): Promise<void> {
  const { database, close } = await openTargetDatabase(address);
  try {
    await claimForRestore(database, backup);
  } finally {
    await close();
  }
}

type Loading = { storage: Storage; backup: BackupFile; missing: readonly Missing[] };

async function restoreDatabase(config: Config, stores: Stores, loading: Loading): Promise<void> {
  if (config.DATABASE_URL)
    return load(config, stores, loading, await openTargetDatabase(config.DATABASE_URL));
  const file = databaseFile(config);
  const made = `${file}.restore`;
  await removeSqliteFile(made);
  await load(config, stores, loading, await openTargetDatabase(`sqlite:${made}`));
  sealSqliteFile(made);
  const faults = faultsOfSqliteFile(made);
  if (faults.length > 0) throw new Error(`The restored database ${made} is not sound: ${faults.join('; ')}`);
  if (existsSync(file)) throw new Error(`${file} appeared meanwhile`);
  await replaceSqliteFile({ file, by: made, aside: `${file}.before-restore` });
}

async function load(
  config: Config,
  stores: Stores,
  { storage, backup, missing }: Loading,
  opened: TargetDatabase,
): Promise<void> {
  const { database: target, pictures } = opened;
  const progress = startProgress('Restoring rows:', null);
  try {
    const secretKey = await loadSecretKey({ configured: config.SECRET_KEY, dataDir: config.dataDir });
    await loadDatabase({
      storage,
      backup,
      target,
      pictures,
      makeTables: (database) => makeTables(database, createSecretBox(secretKey)),
      settle: (database) => leaveOut(config, { target: database, stores, missing }),
      onRows: (count) => progress.advance(count),
    });
  } finally {
    progress.stop();
    await opened.close();
  }
}

/** Objects without their original go as if they were deleted; and every bucket gets its manifest. */
async function leaveOut(
  { filesUrl: files, storageUrl }: Config,
  { target, stores, missing }: { target: Database; stores: Stores; missing: readonly Missing[] },
): Promise<void> {
  const urls = { files, storage: storageUrl };
  for (const { account_id: accountId, object_id: objectId } of missing)
    await deleteObject({ database: target, stores, urls, forgetElsewhere: () => [] }, accountId, objectId);
  const accounts = await target.read.selectFrom('accounts').select('bucket_id').execute();
  await target.write(async (tx) => {
    for (const { bucket_id: bucketId } of accounts) await accountChanged(target, tx, bucketId);
  });
}
