// Variants on this node's disk whose originals are gone: a node that was away has not heard of their deletion. Nobody can
// reach them, but what was deleted should lie nowhere.
import { generationTime } from '../../objects/object-keys.ts';
import type { Database } from '../../platform/database/database.ts';
import { listFiles } from '../../platform/storage/list-files.ts';
import type { Original, VariantStore } from './variant-store.ts';

const batchSize = 500;
/** Of an upload that is not committed yet nothing is made, but clocks may differ. */
const leastAgeMs = 3_600_000;

export async function sweepOrphanedVariants(database: Database, store: VariantStore): Promise<void> {
  for (const folder of store.folders) {
    const batch = new Map<string, Original>();
    for await (const { key } of listFiles(folder, '')) {
      const [bucketId = '', , , generation = ''] = key.split('/');
      if (batch.has(generation) || !isOld(generation)) continue;
      batch.set(generation, { bucketId, generation });
      if (batch.size < batchSize) continue;
      await removeGone(database, store, batch);
      batch.clear();
    }
    await removeGone(database, store, batch);
  }
}

function isOld(generation: string): boolean {
  return /^[0-9a-f]{24}$/.test(generation) && Date.now() - generationTime(generation) > leastAgeMs;
}

async function removeGone(
  database: Database,
  store: VariantStore,
  batch: ReadonlyMap<string, Original>,
): Promise<void> {
  if (batch.size === 0) return;
  const rows = await database.read
    .selectFrom('objects')
    .select('generation')
    .where('generation', 'in', [...batch.keys()])
    .execute();
  const stored = new Set(rows.map(({ generation }) => generation));
  for (const [generation, original] of batch) if (!stored.has(generation)) await store.remove(original);
}
