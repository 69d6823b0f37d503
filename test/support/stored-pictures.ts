// Originals as the renderer knows them, and variants that no other node sees, for tests below HTTP.
import type { SourceFacts } from '../../src/images/rendering/plan.ts';
import type { OriginalImage } from '../../src/images/variants/original-image.ts';
import { SharedVariants } from '../../src/images/variants/shared-variants.ts';
import type { VariantStore } from '../../src/images/variants/variant-store.ts';
import { openTempStores } from './temp-stores.ts';

export function storedPicture({
  generation,
  facts,
  path,
  bucketId = 'bucket1',
}: {
  generation: string;
  facts: SourceFacts;
  path: string;
  bucketId?: string;
}): OriginalImage {
  const { alpha, ...others } = facts;
  const row = { ...others, backend: 'files', kind: 'image', duration_ms: null } as const;
  return {
    backend: 'files',
    bucketId,
    generation,
    facts,
    row: { ...row, bucket_id: bucketId, generation, alpha: alpha ? 1 : 0 },
    localPath: async () => path,
  };
}

export function unshared({ store, folder }: { store: VariantStore; folder: string }): SharedVariants {
  return new SharedVariants({
    sharing: { database: false, stores: new Set() },
    stores: openTempStores(folder),
    store,
    evictor: { added: async () => undefined },
    isStored: async () => true,
    log: { warn: () => undefined },
  });
}
