// Opens the first frame of a picture for a model, turned as displayed and made small at once, by the same decoders and
// checks as a rendering. It is decoded once, however many sizes a model wants to see.
import sharp from 'sharp';
import type { Sharp } from 'sharp';
import { within } from '../rendering/geometry.ts';
import type { Size } from '../rendering/geometry.ts';
import { UndecodableError, decode, readHeader, refuseUnexpected } from '../rendering/steps/decode.ts';

/** Interleaved red, green, blue. */
export type Pixels = Size & { readonly data: Uint8Array };

export type Still = {
  /** What is transparent lies on grey, from which both light and dark things stand out. */
  readonly colours: Pixels;
  /** One byte for each pixel; null when the picture has no transparency. */
  readonly alpha: Uint8Array | null;
};

const behindTransparency = 128;

export async function openStill(inputPath: string, source: Size, maxSidePixels: number): Promise<Still> {
  const header = await readHeader(inputPath);
  refuseUnexpected(header, source);
  const image = decode(inputPath)
    .resize({ ...within(source, maxSidePixels), fit: 'fill' })
    .toColourspace('srgb');
  const { width, height, channels, data } = await rawPixels(image).catch((error: unknown) => {
    throw new UndecodableError(String(error), { cause: error });
  });
  if (channels === 3) return { colours: { width, height, data }, alpha: null };
  return onGrey(data, { width, height });
}

/** To any size, whatever the proportions: models want squares. */
export async function resizePixels({ width, height, data }: Pixels, size: Size): Promise<Pixels> {
  const image = sharp(data, { raw: { width, height, channels: 3 } });
  return rawPixels(image.resize({ width: size.width, height: size.height, fit: 'fill' }));
}

async function rawPixels(image: Sharp): Promise<Pixels & { readonly channels: number }> {
  const { data, info } = await image.raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, channels: info.channels, data };
}

function onGrey(rgba: Uint8Array, { width, height }: Size): Still {
  const data = new Uint8Array(width * height * 3);
  const alpha = new Uint8Array(width * height);
  for (let at = 0; at < alpha.length; at += 1) {
    const share = rgba[at * 4 + 3]! / 255;
    for (let colour = 0; colour < 3; colour += 1) {
      data[at * 3 + colour] = Math.round(rgba[at * 4 + colour]! * share + behindTransparency * (1 - share));
    }
    alpha[at] = rgba[at * 4 + 3]!;
  }
  return { colours: { width, height, data }, alpha };
}
