// A picture between two runs of the image library, which has an order of its own for what it does in one run: where ours
// differs, the pixels are settled first. Always 8 bits of sRGB with alpha.
import sharp from 'sharp';
import type { Sharp } from 'sharp';
import type { Size } from './geometry.ts';

export type RawPicture = Size & { readonly pixels: Buffer };

const bytesPerPixel = 4;

export async function settle(image: Sharp): Promise<RawPicture> {
  const { data, info } = await image
    .ensureAlpha()
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { pixels: data, width: info.width, height: info.height };
}

export function reopen({ pixels, width, height }: RawPicture): Sharp {
  return sharp(pixels, { raw: { width, height, channels: bytesPerPixel } });
}

/** The frames of an animation, which the image library stacks into one tall picture. */
export function splitFrames({ pixels, width, height }: RawPicture, count: number): RawPicture[] {
  const frameHeight = height / count;
  const bytes = width * frameHeight * bytesPerPixel;
  return Array.from({ length: count }, (_, index) => ({
    pixels: pixels.subarray(index * bytes, (index + 1) * bytes),
    width,
    height: frameHeight,
  }));
}

export function stackFrames(frames: readonly RawPicture[]): Sharp {
  const [{ width, height } = { width: 1, height: 1 }] = frames;
  return sharp(Buffer.concat(frames.map(({ pixels }) => pixels)), {
    limitInputPixels: false,
    raw: { width, height: height * frames.length, channels: bytesPerPixel, pageHeight: height },
  });
}
