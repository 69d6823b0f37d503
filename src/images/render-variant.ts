// Gives the variant of an original: from disk, or rendered once however many ask. What is there is found by its name
// alone; the generation in it keeps the pictures of an id that was used again apart.
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createSingleFlight } from '../lib/single-flight.ts';
import { AppError } from '../platform/errors.ts';
import { failpoint } from '../platform/failpoints.ts';
import { createFolderSync } from '../platform/storage/folder-sync.ts';
import { sweepStaging } from '../platform/storage/staging-files.ts';
import { absentOr } from '../platform/storage/storage-error.ts';
import { formats } from './formats.ts';
import type { ImageWorkerPool } from './image-worker-pool.ts';
import { planRendering } from './plan.ts';
import type { SourceFacts } from './plan.ts';
import type { VariantTransformation } from './transformation.ts';
import { readVariant } from './variant-file.ts';
import type { VariantFile } from './variant-file.ts';
import { variantFileName, variantsFolder } from './variant-path.ts';

const removalRetries = 3;
const maxStagedMs = 3_600_000;

export type OriginalImage = {
  readonly bucketId: string;
  /** 24 hexadecimal digits. */
  readonly generation: string;
  readonly facts: SourceFacts;
  /** Asked only when there is something to render. */
  localPath(): Promise<string>;
};

/** An open variant; whoever asked for it closes the handle. */
export type Variant = VariantFile & {
  readonly path: string;
  readonly mediaType: string;
  /** Whether it was there before it was asked for. */
  readonly cached: boolean;
};

export type VariantRenderer = {
  getVariant(original: OriginalImage, transformation: VariantTransformation): Promise<Variant>;
  removeVariants(bucketId: string, generation: string): Promise<void>;
};

export function createVariantRenderer({
  pool,
  variantsDir,
}: {
  pool: Pick<ImageWorkerPool, 'render'>;
  variantsDir: string;
}): VariantRenderer {
  const flight = createSingleFlight<void>();
  const syncFolder = createFolderSync();
  const stagingFolder = join(variantsDir, '.staging');
  // What the workers of a server that died have left half-written. Should it fail, the next start tries again.
  void sweepStaging(stagingFolder, maxStagedMs).catch(() => undefined);

  async function render(
    original: OriginalImage,
    transformation: VariantTransformation,
    path: string,
  ): Promise<void> {
    // Another flight may have landed between the look on disk and this one.
    if (await isThere(path)) return;
    const plan = planRendering(original.facts, transformation);
    await mkdir(dirname(path), { recursive: true });
    await mkdir(stagingFolder, { recursive: true });
    await pool.render({ inputPath: await original.localPath(), outputPath: path, stagingFolder, plan });
    failpoint('render:written');
  }

  return {
    async getVariant(original, transformation) {
      const folder = variantsFolder(variantsDir, original.bucketId, original.generation);
      const path = join(folder, variantFileName(transformation));
      const { mediaType } = formats[transformation.format];
      const found = await readVariant(path);
      if (found !== null) return { ...found, path, mediaType, cached: true };

      await flight(path, () => render(original, transformation, path));
      const rendered = await readVariant(path);
      // The only way to lose it again is that its object was deleted meanwhile.
      if (rendered === null) throw new AppError('object_not_found');
      return { ...rendered, path, mediaType, cached: false };
    },

    async removeVariants(bucketId, generation) {
      const folder = variantsFolder(variantsDir, bucketId, generation);
      // A worker may add a file while the folder is being emptied.
      await rm(folder, { recursive: true, force: true, maxRetries: removalRetries });
      // Otherwise a power cut could bring them back, after the job that removed them was done.
      await syncFolder(dirname(folder)).catch(absentOr(undefined));
    },
  };
}

async function isThere(path: string): Promise<boolean> {
  const variant = await readVariant(path);
  await variant?.handle.close();
  return variant !== null;
}
