// Keeps of the metadata what the address asks for. Orientation never: it was applied.
import { exifRights } from '../../../lib/walkers/exif-rights.ts';
import type { Step } from './step.ts';

export const keepMetadata: Step = (image, { plan: { metadata }, header }) => {
  if (metadata === 'all') return image.keepExif().keepXmp();
  if (metadata === 'none' || header.exif === undefined) return image;
  const rights = exifRights(header.exif);
  return Object.keys(rights).length === 0 ? image : image.withExif({ IFD0: rights });
};
