// What a model has found in a picture costs more than anything else here: found on one node, it is known to all.
import { isThere } from '../../platform/is-there.ts';
import { facesFileName, findingOf, maskFileName, type Vision } from '../vision/vision.ts';
import type { OriginalImage } from './original-image.ts';
import type { SharedVariants } from './shared-variants.ts';
import type { VariantStore } from './variant-store.ts';

export type VisionOfOriginals = {
  findFaces(original: OriginalImage): ReturnType<Vision['findFaces']>;
  makeMask(original: OriginalImage): ReturnType<Vision['makeMask']>;
};

export function shareVision(
  vision: Pick<Vision, 'findFaces' | 'makeMask'>,
  { shared, store }: { shared: SharedVariants; store: VariantStore },
): VisionOfOriginals {
  /** Whoever looks finds what was fetched before. */
  async function through<Found>(
    original: OriginalImage,
    name: string,
    look: () => Promise<Found>,
  ): Promise<Found> {
    const { fileName, kept } = findingOf(original, name);
    if (!shared.isShared(original) || (await isThere(store.pathOf(original, fileName, kept)))) return look();
    if (await shared.bring(original, fileName, { kept, plain: true })) return look();
    const found = await look();
    shared.publishLater(original, fileName, { kept });
    return found;
  }

  return {
    findFaces: (original) => through(original, facesFileName, () => vision.findFaces(original)),
    makeMask: (original) => through(original, maskFileName, () => vision.makeMask(original)),
  };
}
