// Puts the files of a backup back into the stores, and proves each by its hash. Manifests are written from the records, so
// that both say the same.
import { filmFolderKey, manifestKey, originalKey } from '../../objects/object-keys.ts';
import type { Stores } from '../../objects/stores.ts';
import type { ObjectRow } from '../../objects/tables.ts';
import { failpoint } from '../../platform/failpoints.ts';
import type { Storage } from '../../platform/storage/storage.ts';
import { forEachAtOnce } from '../at-once.ts';
import { copyFile } from '../files/copy-file.ts';
import { keyInBackup } from './backup-format.ts';

const objectsAtOnce = 8;

type Parts = { stores: Stores; storage: Storage; onObject: () => void };

export type Missing = Pick<ObjectRow, 'generation' | 'object_id' | 'account_id'> & { reason: string };

/** The objects whose original is not in the backup, or not as it was uploaded. */
export async function restoreFiles(parts: Parts, objects: AsyncIterable<ObjectRow>): Promise<Missing[]> {
  const missing: Missing[] = [];
  await forEachAtOnce(objects, objectsAtOnce, async (object) => {
    const reason = await restoreOriginal(parts, object);
    if (reason === null) await restoreBeside(parts, object);
    else {
      const { generation, object_id, account_id } = object;
      missing.push({ generation, object_id, account_id, reason });
    }
    parts.onObject();
    failpoint('restore:object');
  });
  return missing;
}

async function restoreOriginal({ stores, storage }: Parts, object: ObjectRow): Promise<string | null> {
  const { backend, bucket_id: bucketId, generation, size_bytes: sizeBytes, sha256 } = object;
  const key = originalKey(bucketId, generation);
  // Of an earlier run, which has proven it.
  if ((await stores[backend].head(key))?.size === sizeBytes) return null;
  const copied = await copyFile(
    { storage, key: keyInBackup(backend, key) },
    { storage: stores[backend], key },
  );
  if (!copied) return 'was deleted while the backup was made';
  if (copied.sha256 === sha256) return null;
  await stores[backend].delete(key);
  return 'is damaged in the backup';
}

async function restoreBeside({ stores, storage }: Parts, object: ObjectRow): Promise<void> {
  const { backend, bucket_id: bucketId, generation } = object;
  const manifest = Buffer.from(JSON.stringify({ tintype: 1, object }));
  await stores[backend].put(manifestKey(bucketId, generation), manifest);
  if (object.kind !== 'video') return;
  const folder = keyInBackup(backend, filmFolderKey(bucketId, generation));
  for await (const { key, size } of storage.list(folder)) {
    const own = key.slice(backend.length + 1);
    if ((await stores[backend].head(own))?.size !== size)
      await copyFile({ storage, key }, { storage: stores[backend], key: own });
  }
}
