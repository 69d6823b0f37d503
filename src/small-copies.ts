// The small copy of a picture that an AI provider gets to see: made as any variant is, and never the original.
import type { ImageService } from './images/image-service.ts';
import { parseTransformation, withFormat } from './images/address/transformation.ts';
import type { VariantTransformation } from './images/address/transformation.ts';
import { originalImageOf } from './images/variants/original-image.ts';
import { VariantRenderer } from './images/variants/render-variant.ts';
import type { Stores } from './objects/stores.ts';
import type { ObjectRow } from './objects/tables.ts';
import type { Database } from './platform/database/database.ts';
import { AppError } from './platform/errors.ts';
import type { SmallCopy } from './search/analysis/analyse-picture.ts';

/** What OpenAI's models look at when they are asked for little detail, and more than those of the CLIP family do. */
const name = 'anim-0_fit-max_h-512_w-512.jpg';

type Parts = { database: Database; stores: Stores; images: Pick<ImageService, 'maker' | 'store'> };

export function createSmallCopies({ database, stores, images }: Parts) {
  const renderer = new VariantRenderer(images);
  const transformation = smallCopy();
  return async (object: ObjectRow): Promise<SmallCopy> => {
    const original = originalImageOf(stores, object);
    const variant = await renderer.getVariant(original, transformation, { background: true });
    await variant.handle.close();
    // Deleted meanwhile: what was made after the purge must not stay.
    const query = database.read.selectFrom('objects').select('generation');
    if (!(await query.where('generation', '=', object.generation).executeTakeFirst())) {
      await images.maker.remove(original);
      throw new AppError('object_not_found');
    }
    return { path: variant.path, sizeBytes: variant.size };
  };
}

function smallCopy(): VariantTransformation {
  const transformation = parseTransformation(name);
  if (transformation.kind !== 'variant') throw new Error(`${name} is no variant`);
  return withFormat(transformation, 'jpg');
}
