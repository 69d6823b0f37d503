// What a backup is: `backup.json`, which says what all the rest must be; one compressed file of JSON lines for each table,
// the same from every kind of database; and the files of both stores under the keys they have there.
import { text } from 'node:stream/consumers';
import { OperatorError } from '../../platform/errors.ts';
import type { Storage } from '../../platform/storage/storage.ts';

export type BackedUpTable = {
  readonly name: string;
  /** In the backup. */
  readonly key: string;
  readonly columns: readonly string[];
  readonly rows: number;
  /** Over the rows, in any order. */
  readonly checksum: string;
  /** Of the compressed file. */
  readonly sha256: string;
};

export type BackupFile = {
  readonly tintype_backup: 1;
  readonly id: string;
  /** Of the program that made it. */
  readonly version: string;
  /** The moment as of which the database is. */
  readonly made_at: string;
  readonly tables: readonly BackedUpTable[];
  readonly vectors: BackedUpTable;
  readonly secret_key: { readonly fingerprint: string; readonly included: boolean };
};

export const backupKey = 'backup.json';
export const secretKeyKey = 'secret.key';
export const databasePrefix = 'database/';
export const vectorColumns = ['generation', 'model', 'vector'];

/** Where a file of a store lies in a backup. */
export function keyInBackup(backend: string, key: string): string {
  return `${backend}/${key}`;
}

/** Null when nothing was backed up there yet. */
export async function readBackupFile(storage: Storage): Promise<BackupFile | null> {
  const stream = await storage.get(backupKey);
  if (!stream) return null;
  const backup = JSON.parse(await text(stream)) as BackupFile;
  if (backup.tintype_backup !== 1)
    throw new OperatorError('This backup was made by a newer version of Tintype; restore it with that one');
  return backup;
}
