// A backup of everything while it is in use: first the database as of one moment, then the files it names, and at last the
// file that makes all this the backup. Whatever dies in between leaves the backup before as it was.
import { randomHex } from '../../platform/random.ts';
import type { Stores } from '../../objects/stores.ts';
import type { ObjectRow } from '../../objects/tables.ts';
import { failpoint } from '../../platform/failpoints.ts';
import type { Storage } from '../../platform/storage/storage.ts';
import type { BytePace } from '../files/byte-pace.ts';
import type { VectorSource } from '../rows/pictures.ts';
import { type SnapshotSource, withSnapshot } from '../rows/snapshot.ts';
import { backUpBucket, backUpObjects, type FilesReport } from './back-up-files.ts';
import { backupKey, databasePrefix, type BackupFile, readBackupFile, secretKeyKey } from './backup-format.ts';
import { dumpDatabase } from './dump-database.ts';
import { readRowFile } from './row-file.ts';

const idBytes = 8;

export type BackupParts = {
  readonly source: SnapshotSource & { readonly pictures: VectorSource };
  readonly stores: Stores;
  /** Where the backup is. */
  readonly storage: Storage;
  readonly version: string;
  readonly secretKey: {
    readonly fingerprint: string;
    /** Null where it is not to be part of it. */ readonly key: string | null;
  };
  readonly pace: BytePace;
  readonly onRows: (count: number) => void;
  readonly onObject: (copiedBytes: number) => void;
};

export type BackupReport = FilesReport & { rows: number; made_at: string };

export async function makeBackup(parts: BackupParts): Promise<BackupReport> {
  const { source, storage, secretKey, version, onRows } = parts;
  const before = await readBackupFile(storage);
  const id = randomHex(idBytes);
  const startedAt = Date.now();
  const made_at = new Date(startedAt).toISOString();
  const dumped = await withSnapshot(source, (read) =>
    dumpDatabase(read, source.pictures, { storage, id, onRows }),
  );
  failpoint('backup:dumped');
  const lastAt = before ? Date.parse(before.made_at) : Number.NEGATIVE_INFINITY;
  const report = await backUpFiles(parts, dumped.tables, lastAt);
  if (secretKey.key !== null) await storage.put(secretKeyKey, Buffer.from(`${secretKey.key}\n`));
  const backup: BackupFile = {
    tintype_backup: 1,
    id,
    version,
    made_at,
    ...dumped,
    secret_key: { fingerprint: secretKey.fingerprint, included: secretKey.key !== null },
  };
  await storage.put(backupKey, Buffer.from(`${JSON.stringify(backup, null, 2)}\n`));
  for await (const { key } of storage.list(databasePrefix))
    if (!key.startsWith(`${databasePrefix}${id}/`)) await storage.delete(key);
  return { ...report, rows: dumped.tables.reduce((sum, { rows }) => sum + rows, 0), made_at };
}

async function backUpFiles(
  { stores, storage, pace, onObject }: BackupParts,
  tables: BackupFile['tables'],
  lastAt: number,
): Promise<FilesReport> {
  const parts = { stores, storage, pace, lastAt, onObject };
  const rowsOf = <T>(name: string): AsyncIterable<T> =>
    readRowFile(
      storage,
      tables.find((table) => table.name === name) as BackupFile['vectors'],
    ) as AsyncIterable<never>;
  const report = await backUpObjects(parts, rowsOf<ObjectRow>('objects'));
  for await (const { bucket_id: bucketId } of rowsOf<{ bucket_id: string }>('accounts'))
    await backUpBucket(parts, bucketId, report);
  return report;
}
