// Copies the files that a dump of the database names into the backup, as far as they are not there already. An object that
// was deleted since the dump has none any more, and is left out.
import { bucketManifestKey, filmFolderKey, manifestKey, originalKey } from '../../objects/object-keys.ts';
import type { Stores } from '../../objects/stores.ts';
import type { ObjectRow } from '../../objects/tables.ts';
import { failpoint } from '../../platform/failpoints.ts';
import type { Storage } from '../../platform/storage/storage.ts';
import { forEachAtOnce } from '../at-once.ts';
import type { BytePace } from '../files/byte-pace.ts';
import { copyFile } from '../files/copy-file.ts';
import { mayChange } from '../files/stored-kind.ts';
import { keyInBackup } from './backup-format.ts';

const objectsAtOnce = 8;
/** Clocks of a store and of this machine may differ. */
const clockMarginMs = 3_600_000;

export type BackUpParts = {
  readonly stores: Stores;
  readonly storage: Storage;
  readonly pace: BytePace;
  /** When the backup before began; what has not been written since is there as it is. */
  readonly lastAt: number;
  readonly onObject: (copiedBytes: number) => void;
};

export type FilesReport = {
  objects: number;
  copied: number;
  copiedBytes: number;
  /** Deleted since the dump. */
  gone: number;
  /** Not taken into the backup, because they are not what was uploaded. */
  damaged: { object_id: string; account_id: string; where: string }[];
};

export async function backUpObjects(
  parts: BackUpParts,
  objects: AsyncIterable<ObjectRow>,
): Promise<FilesReport> {
  const report: FilesReport = { objects: 0, copied: 0, copiedBytes: 0, gone: 0, damaged: [] };
  await forEachAtOnce(objects, objectsAtOnce, async (object) => {
    const before = report.copiedBytes;
    report.objects += 1;
    await backUpOriginal(parts, object, report);
    await backUpChanging(parts, object.backend, manifestKey(object.bucket_id, object.generation), report);
    if (object.kind === 'video') await backUpFilm(parts, object, report);
    parts.onObject(report.copiedBytes - before);
    failpoint('backup:object');
  });
  return report;
}

export async function backUpBucket(parts: BackUpParts, bucketId: string, report: FilesReport): Promise<void> {
  for (const backend of Object.keys(parts.stores) as (keyof Stores)[])
    await backUpChanging(parts, backend, bucketManifestKey(bucketId), report);
}

async function backUpOriginal(parts: BackUpParts, object: ObjectRow, report: FilesReport): Promise<void> {
  const { backend, bucket_id: bucketId, generation } = object;
  const key = originalKey(bucketId, generation);
  const there = await parts.storage.head(keyInBackup(backend, key));
  if (there?.size === object.size_bytes) return;
  const copied = await copy(parts, backend, key, report);
  if (!copied) report.gone += 1;
  else if (copied.sha256 !== object.sha256) {
    await parts.storage.delete(keyInBackup(backend, key));
    const { object_id, account_id } = object;
    report.damaged.push({ object_id, account_id, where: `${backend}:${key}` });
  }
}

async function backUpFilm(parts: BackUpParts, film: ObjectRow, report: FilesReport): Promise<void> {
  const { backend, bucket_id: bucketId, generation } = film;
  for await (const { key, size } of parts.stores[backend].list(filmFolderKey(bucketId, generation))) {
    if (mayChange(key)) await backUpChanging(parts, backend, key, report);
    else if ((await parts.storage.head(keyInBackup(backend, key)))?.size !== size)
      await copy(parts, backend, key, report);
  }
}

async function backUpChanging(
  parts: BackUpParts,
  backend: keyof Stores,
  key: string,
  report: FilesReport,
): Promise<void> {
  const [here, there] = await Promise.all([
    parts.stores[backend].head(key),
    parts.storage.head(keyInBackup(backend, key)),
  ]);
  if (!here) return;
  if (there?.size === here.size && here.modifiedAt < parts.lastAt - clockMarginMs) return;
  if (there?.size === here.size && there.modifiedAt > here.modifiedAt + clockMarginMs) return;
  await copy(parts, backend, key, report);
}

async function copy(
  { stores, storage, pace }: BackUpParts,
  backend: keyof Stores,
  key: string,
  report: FilesReport,
) {
  const copied = await copyFile(
    { storage: stores[backend], key },
    { storage, key: keyInBackup(backend, key) },
    pace,
  );
  if (!copied) return null;
  report.copied += 1;
  report.copiedBytes += copied.sizeBytes;
  return copied;
}
