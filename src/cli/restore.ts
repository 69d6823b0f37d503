// `tintype restore`: makes an installation from a backup, in a data folder and stores that hold nothing yet.
import { existsSync } from 'node:fs';
import { open, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Config } from '../config.ts';
import { databaseFile, holdObjects, openStores } from '../core.ts';
import { type BackupFile, readBackupFile, secretKeyKey } from '../keeping/backup/backup-format.ts';
import { lockDataDir } from '../platform/database/data-dir-lock.ts';
import { AppError, OperatorError } from '../platform/errors.ts';
import { createSecretBox } from '../platform/secrets.ts';
import { openStorage } from '../platform/storage/open-storage.ts';
import type { Storage } from '../platform/storage/storage.ts';
import { jsonOption, readArguments } from './arguments.ts';
import { backupAddress } from './backup-address.ts';
import { printJson } from './output.ts';
import { restoreAll, type Restored } from './restore-all.ts';

export const help = `Usage:
  tintype restore <place> [--other-secret-key]

  <place>              a folder or store that "tintype backup" has filled
  --other-secret-key   go on although the key that opens stored secrets is another one: accounts must then set their keys of
                       AI providers anew, and make webhook and signing secrets anew
  --json               print the totals as JSON

Fills the data folder, the database and both stores, which must hold nothing yet, and proves every row and file by the
hashes in the backup. Stop the server first. Run it again after Ctrl-C or a crash: it goes on where it stopped.`;

export async function restore(args: string[], config: () => Config): Promise<0 | 1> {
  const options = { 'other-secret-key': { type: 'boolean', default: false }, ...jsonOption } as const;
  const { values, positionals } = readArguments(args, options, ['place']);
  const storage = await openStorage(backupAddress(positionals[0] as string));
  const backup = await readBackupFile(storage);
  if (!backup) throw new AppError('not_found', `There is no backup in ${positionals[0]}`);
  const settings = config();
  const lock = lockDataDir(settings.dataDir, 'tintype restore');
  try {
    const journal = join(settings.dataDir, 'restoring.json');
    await refuseUnlessEmpty(settings, journal, backup);
    await settleSecretKey(settings, storage, backup, values['other-secret-key']);
    await writeFile(journal, JSON.stringify({ id: backup.id }));
    const restored = await restoreAll(settings, storage, backup);
    await rm(journal);
    if (values.json) printJson(restored);
    else tell(restored, backup);
    return restored.missing.length === 0 ? 0 : 1;
  } finally {
    lock.release();
  }
}

async function refuseUnlessEmpty(config: Config, journal: string, backup: BackupFile): Promise<void> {
  const begun = await readFile(journal, 'utf8').catch(() => null);
  const file = databaseFile(config);
  if (!config.DATABASE_URL && existsSync(file))
    throw new AppError(
      'conflict',
      `There is a database already: ${file}. Restore into a new DATA_DIR, or move this one away first.`,
    );
  if (begun !== null && (JSON.parse(begun) as { id: string }).id === backup.id) return;
  if (await holdObjects(await openStores(config)))
    throw new AppError(
      'conflict',
      `${config.filesStore} or ${config.storageStore} holds objects already. Restore into empty stores.`,
    );
}

/** Makes the key that was backed up this folder's own; refuses to go on with another one unless told to. */
async function settleSecretKey(
  { SECRET_KEY: configured, dataDir }: Config,
  storage: Storage,
  { secret_key: { fingerprint, included } }: BackupFile,
  goOnWithOther: boolean,
): Promise<void> {
  const file = join(dataDir, 'secret.key');
  let key = configured ?? (await readFile(file, 'utf8').catch(() => ''));
  if (key.trim() === '' && included) {
    const stream = await storage.get(secretKeyKey);
    if (!stream) throw new OperatorError(`${secretKeyKey} is missing in the backup`);
    key = await text(stream);
    await using handle = await open(file, 'wx', 0o600);
    await handle.writeFile(key);
    await handle.sync();
  }
  const isSame = key.trim() !== '' && createSecretBox(key.trim()).fingerprint === fingerprint;
  if (isSame || goOnWithOther) return;
  throw new OperatorError(
    `The secrets in this backup were sealed with a key that is not here. Set SECRET_KEY as it was, or put the old secret.key into ${dataDir}; or go on without them with --other-secret-key.`,
  );
}

function tell({ missing, rows, objects }: Restored, backup: BackupFile): void {
  for (const { object_id: object, account_id: account, reason } of missing)
    console.log(`Left out: object ${object} of ${account} ${reason}`);
  console.log(
    `Restored as of ${backup.made_at}: ${rows} rows, ${objects - missing.length} objects. Start the server.`,
  );
}
