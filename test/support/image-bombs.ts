// Small files that claim to be huge, or are: each must be refused from its header.
import { avifAlpha, avifGrid, avifNaming, avifOf, avifSize } from './avif-builder.ts';
import { jpegWithScans, webpAnimation, webpCanvas, webpFlags } from './jpeg-and-webp-builders.ts';
import { webpFrame, webpOf, webpPixel } from './jpeg-and-webp-builders.ts';
import { gifOf, gifWithFrames, pngBomb, pngHeaderOnly } from './png-and-gif-builders.ts';

export function imageBombs(): Record<string, Buffer> {
  const animated = webpCanvas(1, 1, webpFlags.animated);
  return {
    'bomb-40000.png': pngBomb(40_000, 40_000),
    'bomb-40000-interlaced.png': pngBomb(40_000, 40_000, { interlaced: true }),
    'bomb-12000-16-bit.png': pngHeaderOnly(12_000, 12_000, { depth: 16, colourType: 6 }),
    'bomb-65535.png': pngHeaderOnly(65_535, 65_535),
    'bomb-2147483647.png': pngHeaderOnly(2_147_483_647, 2_147_483_647),
    'bomb-wide.png': pngHeaderOnly(2_147_483_647, 1),
    'bomb-high.png': pngHeaderOnly(1, 4_294_967_295),
    'bomb-10000-frames.gif': gifWithFrames(10_000),
    'bomb-1001-frames.gif': gifWithFrames(1001),
    'bomb-600-large-frames.gif': gifWithFrames(600, 1000, 1000),
    'bomb-65535.gif': gifOf(65_535, 65_535, [{ width: 1, height: 1 }]),
    'bomb-65535-frame.gif': gifOf(1, 1, [{ width: 65_535, height: 65_535 }]),
    'bomb-second-frame.gif': gifOf(1, 1, [
      { width: 1, height: 1 },
      { width: 65_535, height: 65_535 },
    ]),
    'bomb-65500.jpg': jpegWithScans(1, { width: 65_500, height: 65_500 }),
    'bomb-65535.jpg': jpegWithScans(1, { width: 65_535, height: 65_535 }),
    'bomb-500-scans.jpg': jpegWithScans(500),
    'bomb-5000-scans.jpg': jpegWithScans(5000),
    'bomb-16384.webp': webpOf(webpPixel(16_384, 16_384)),
    'bomb-canvas.webp': webpOf(webpCanvas(16_777_216, 16_777_216), webpPixel()),
    'bomb-10000-frames.webp': webpOf(
      animated,
      webpAnimation,
      ...Array<Buffer>(10_000).fill(webpFrame(1, 1, webpPixel())),
    ),
    'bomb-40000.avif': avifNaming(40_000, 40_000),
    'bomb-4294967295.avif': avifNaming(4_294_967_295, 4_294_967_295),
    'bomb-grid.avif': avifGrid(64, 64, 9000, 256),
    'bomb-grid-of-65535.avif': avifGrid(64, 64, 1, 65_535),
    'bomb-alpha.avif': avifOf({ properties: [avifSize(8, 8), avifSize(50_000, 50_000), avifAlpha] }),
  };
}
