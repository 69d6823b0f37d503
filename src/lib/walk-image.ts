// Checks an uploaded picture while its bytes stream by: whole, of a kind sharp can decode, within the limits; and says how
// large it is. Nothing is decoded and nothing is kept, so that it can run in the HTTP process over every byte.
import type { Buffer } from 'node:buffer';
import { ByteReader, type Walk } from './walkers/byte-reader.ts';
import { truncated } from './walkers/image-fault.ts';
import { defaultImageLimits, type ImageLimits } from './walkers/image-limits.ts';
import { walkAvif } from './walkers/avif.ts';
import { walkGif } from './walkers/gif.ts';
import { walkJpeg } from './walkers/jpeg.ts';
import { walkPng } from './walkers/png.ts';
import { walkWebp } from './walkers/webp.ts';
import type { ImageFacts, ImageType } from './walkers/image-facts.ts';

export { ImageFault, type ImageFaultKind } from './walkers/image-fault.ts';
export { defaultImageLimits, type ImageLimits } from './walkers/image-limits.ts';
export type { ImageFacts, ImageType } from './walkers/image-facts.ts';

/** Both throw ImageFault and nothing else; after the first fault, every call throws it again. */
export interface ImageWalker {
  push(chunk: Buffer): void;
  end(): ImageFacts;
}

const walks: Record<ImageType, (reader: ByteReader, limits: ImageLimits) => Walk<ImageFacts>> = {
  'image/jpeg': walkJpeg,
  'image/png': walkPng,
  'image/gif': walkGif,
  'image/webp': walkWebp,
  'image/avif': walkAvif,
};

export function createImageWalker(type: ImageType, limits: ImageLimits = defaultImageLimits): ImageWalker {
  const reader = new ByteReader();
  const walk = walks[type](reader, limits);
  let facts: ImageFacts | undefined;
  let fault: unknown;

  function resume(): void {
    if (fault !== undefined) throw fault;
    try {
      const step = walk.next();
      if (step.done) facts = step.value;
    } catch (error) {
      fault = error;
      throw error;
    }
  }

  return {
    push(chunk) {
      if (facts !== undefined) return; // trailing bytes
      reader.feed(chunk);
      resume();
    },
    end() {
      reader.end();
      if (facts === undefined) resume();
      if (facts === undefined) throw truncated();
      return facts;
    },
  };
}

/** For a picture that is in memory already. */
export function walkWholeImage(type: ImageType, bytes: Buffer, limits?: ImageLimits): ImageFacts {
  const walker = createImageWalker(type, limits);
  walker.push(bytes);
  return walker.end();
}
