// The border and the rounded corners. Shapes are drawn here, pixel by pixel: the decoder for vector graphics stays locked.
import type { Sharp } from 'sharp';
import type { Size } from '../geometry.ts';
import type { Step } from './step.ts';

export const border: Step = (image, { plan: { border: line, radius, framed } }) => {
  if (line === null) return image;
  const { width, height } = framed;
  const sides = { top: line.width, right: line.width, bottom: line.width, left: line.width };
  const { r, g, b, alpha } = line.colour;
  const outer = roundedRectangle(framed, 0, radius);
  const inner = roundedRectangle(framed, line.width, Math.max(0, radius - line.width));
  const pixels = Buffer.alloc(width * height * 4);
  for (let index = 0; index < outer.length; index += 1) {
    const share = (outer[index] as number) - (inner[index] as number);
    if (share === 0) continue;
    pixels[index * 4] = r;
    pixels[index * 4 + 1] = g;
    pixels[index * 4 + 2] = b;
    pixels[index * 4 + 3] = Math.round(share * alpha);
  }
  return image
    .extend({ ...sides, background: { r: 0, g: 0, b: 0, alpha: 0 } })
    .composite([{ input: pixels, raw: { width, height, channels: 4 } }]);
};

export const roundCorners: Step = (image, { plan: { radius, framed } }) =>
  radius === 0 ? image : keepOnly(image, roundedRectangle(framed, 0, radius), framed);

function keepOnly(image: Sharp, coverage: Uint8Array, { width, height }: Size): Sharp {
  const pixels = Buffer.alloc(width * height * 4, 255);
  for (let index = 0; index < coverage.length; index += 1) pixels[index * 4 + 3] = coverage[index] as number;
  return image.composite([{ input: pixels, raw: { width, height, channels: 4 }, blend: 'dest-in' }]);
}

/** How much of each pixel, 0 to 255, lies in a rectangle with round corners that keeps away from the edges. */
export function roundedRectangle({ width, height }: Size, inset: number, radius: number): Uint8Array {
  const coverage = new Uint8Array(width * height);
  const [right, bottom] = [width - inset, height - inset];
  for (let y = inset; y < bottom; y += 1) {
    const dy = Math.max(inset + radius - (y + 0.5), y + 0.5 - (bottom - radius), 0);
    for (let x = inset; x < right; x += 1) {
      const dx = Math.max(inset + radius - (x + 0.5), x + 0.5 - (right - radius), 0);
      const outside = dx > 0 && dy > 0 ? Math.hypot(dx, dy) - radius : -1;
      coverage[y * width + x] = Math.round(255 * Math.max(0, Math.min(1, 0.5 - outside)));
    }
  }
  return coverage;
}
