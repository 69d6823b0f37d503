// Files an upload takes, because nothing in their structure is wrong or too large, and that cost a decoder as much as
// possible or that no decoder takes at all.
import { avifNaming } from './avif-builder.ts';
import { jpegWithScans, webpAnimation, webpCanvas, webpFlags } from './jpeg-and-webp-builders.ts';
import { webpFrame, webpOf, webpPixel } from './jpeg-and-webp-builders.ts';
import { gifWithFrames, pngBomb, pngHeaderOnly } from './png-and-gif-builders.ts';

/** Just within what an upload may have. */
export const largestSide = 10_900;

export function costlyImages(side: number): Record<string, Buffer> {
  return {
    'png-without-data': pngHeaderOnly(side, side),
    'png-interlaced': pngBomb(side, side, { interlaced: true }),
    'gif-of-1000-frames': gifWithFrames(1000),
    'jpeg-without-data': jpegWithScans(1, { width: side, height: side }),
    'jpeg-of-90-scans': jpegWithScans(90, { width: side - 1000, height: side - 1000 }),
    'avif-that-lies': avifNaming(side, side),
  };
}

export function moreCostlyImages(side: number): Record<string, Buffer> {
  return {
    'png-of-one-bit': pngBomb(side, side),
    'png-of-16-bits': pngHeaderOnly(side, side, { depth: 16, colourType: 6 }),
    'gif-of-1000-large-frames': gifWithFrames(1000, 490, 490),
    'webp-that-lies': webpOf(webpPixel(side, side)),
    'webp-of-1000-frames': webpOf(
      webpCanvas(1, 1, webpFlags.animated),
      webpAnimation,
      ...Array<Buffer>(1000).fill(webpFrame(1, 1, webpPixel())),
    ),
    'jpeg-of-100-scans': jpegWithScans(100),
  };
}
