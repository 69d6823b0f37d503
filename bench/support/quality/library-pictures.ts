// The pictures of the library. Nine are public-domain photographs that come in packages; of the others only their captions
// matter, so each is a pattern that no other has. All can be told apart after they were made smaller and compressed.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { seededRandom } from '../../../test/support/random.ts';
import { mean } from '../statistics.ts';
import type { DescribedPicture } from './read-library.ts';

const packages = join(import.meta.dirname, '..', '..', '..', 'node_modules', '@stdlib');
const patternPixels = 96;
/** Squares along each side of a pattern, and grey values along each side of a signature. */
const squares = 8;
/** Grey values of the same picture differ by less on average, those of two pictures by far more. */
const sameWithin = 6;

/** The `index` is its place in the library. */
export function pictureBytes({ id }: DescribedPicture, index: number): Promise<Buffer> {
  const photograph = join(packages, `datasets-img-${id}`, 'data', 'image.jpg');
  return existsSync(photograph) ? Promise.resolve(readFileSync(photograph)) : pattern(index);
}

function pattern(seed: number): Promise<Buffer> {
  const random = seededRandom(seed);
  const greys = Uint8Array.from({ length: squares * squares }, () => random.between(0, 255));
  return sharp(greys, { raw: { width: squares, height: squares, channels: 1 } })
    .resize(patternPixels, patternPixels, { kernel: 'nearest' })
    .jpeg({ quality: 90 })
    .toBuffer();
}

type Known = { picture: DescribedPicture; signature: Uint8Array };

/** Tells which picture of the library some bytes show. */
export async function createRecogniser(
  library: readonly DescribedPicture[],
): Promise<(bytes: Buffer) => Promise<DescribedPicture>> {
  const known: Known[] = [];
  for (const [index, picture] of library.entries())
    known.push({ picture, signature: await signatureOf(await pictureBytes(picture, index)) });
  return async (bytes) => {
    const seen = await signatureOf(bytes);
    const same = known.find(({ signature }) => distanceOf(seen, signature) <= sameWithin);
    if (!same) throw new Error('The library does not have this picture');
    return same.picture;
  };
}

async function signatureOf(bytes: Buffer): Promise<Uint8Array> {
  return sharp(bytes).resize(squares, squares, { fit: 'fill' }).greyscale().raw().toBuffer();
}

function distanceOf(left: Uint8Array, right: Uint8Array): number {
  return mean(Array.from(left, (value, at) => Math.abs(value - (right[at] as number))));
}
