// Shared variants whose object is gone: of a node that died between sending one and seeing that its object was deleted.
// Nobody can reach them, but what was deleted should lie nowhere.
import type { Database } from '../platform/database/database.ts';
import type { Storage } from '../platform/storage/storage.ts';
import { variantFolders } from './list-stored.ts';
import type { Stores } from './stores.ts';
import { defaultSweep } from './sweep.ts';

const batchSize = 500;

/** Returns of how many objects something was removed. */
export async function sweepVariants(
  database: Database,
  stores: Stores,
  signal: AbortSignal,
  { orphanMs } = defaultSweep,
): Promise<number> {
  let removed = 0;
  for (const storage of Object.values(stores)) {
    for (const root of variantFolders) {
      /** By generation: the folder of its variants. */
      const batch = new Map<string, string>();
      for await (const { key, modifiedAt } of storage.list(root)) {
        signal.throwIfAborted();
        const folder = key.slice(0, key.lastIndexOf('/') + 1);
        if (Date.now() - modifiedAt >= orphanMs) batch.set(folder.split('/').at(-2) as string, folder);
        if (batch.size < batchSize) continue;
        removed += await removeOfGone(database, storage, batch);
        batch.clear();
      }
      removed += await removeOfGone(database, storage, batch);
    }
  }
  return removed;
}

async function removeOfGone(
  database: Database,
  storage: Storage,
  batch: ReadonlyMap<string, string>,
): Promise<number> {
  if (batch.size === 0) return 0;
  const rows = await database.read
    .selectFrom('objects')
    .select('generation')
    .where('generation', 'in', [...batch.keys()])
    .execute();
  const gone = new Map(batch);
  for (const { generation } of rows) gone.delete(generation);
  for (const folder of gone.values()) await storage.deleteFolder(folder);
  return gone.size;
}
