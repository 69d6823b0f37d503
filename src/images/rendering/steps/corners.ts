// The border and the rounded corners. Shapes are drawn here, pixel by pixel and in place: the decoder for vector graphics
// stays locked, and a mask of the whole picture would need as much memory as the picture.
import type { Size } from '../geometry.ts';
import { type RawPicture, reopen, settle } from '../raw-picture.ts';
import { blend } from './blend.ts';
import type { Work } from './step.ts';

type Coverage = (x: number, y: number) => number;

/** Added outside; where the corners are round, the line follows them. */
export async function border(picture: RawPicture, { plan }: Work): Promise<RawPicture> {
  const { border: line, radius, framed } = plan;
  if (line === null) return picture;
  const { width, height } = framed;
  const { width: thickness, colour } = line;
  const sides = { top: thickness, right: thickness, bottom: thickness, left: thickness };
  const extended = await settle(
    reopen(picture).extend({ ...sides, background: { r: 0, g: 0, b: 0, alpha: 0 } }),
  );
  const outer = roundedRectangle({ width, height }, 0, radius);
  const inner = roundedRectangle({ width, height }, thickness, Math.max(0, radius - thickness));
  const { pixels } = extended;
  for (let y = 0, at = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1, at += 4) {
      const share = outer(x, y) - inner(x, y);
      if (share > 0) blend(pixels, at, colour.r, colour.g, colour.b, share * colour.alpha);
    }
  }
  return extended;
}

export function roundCorners(picture: RawPicture, { plan: { radius } }: Work): RawPicture {
  if (radius === 0) return picture;
  const { pixels, width, height } = picture;
  const shape = roundedRectangle(picture, 0, radius);
  const reach = Math.ceil(radius);
  for (let y = 0; y < height; y += 1) {
    const inCorner = y < reach || y >= height - reach;
    for (let x = 0; inCorner && x < width; x += 1) {
      // Between the corners nothing changes.
      if (x === reach) x = Math.max(x, width - reach);
      if (x < width) fade(pixels, (y * width + x) * 4, shape(x, y));
    }
  }
  return picture;
}

/** What nobody sees has no colour: it would only make the file larger. */
function fade(pixels: Buffer, at: number, share: number): void {
  const alpha = Math.round((pixels[at + 3] as number) * share);
  if (alpha === 0) pixels.fill(0, at, at + 4);
  else pixels[at + 3] = alpha;
}

/** How much of a pixel, 0 to 1, lies in a rectangle with round corners that keeps away from the edges. */
function roundedRectangle({ width, height }: Size, inset: number, radius: number): Coverage {
  const [right, bottom] = [width - inset, height - inset];
  return (x, y) => {
    if (x < inset || y < inset || x >= right || y >= bottom) return 0;
    const dx = Math.max(inset + radius - (x + 0.5), x + 0.5 - (right - radius));
    const dy = Math.max(inset + radius - (y + 0.5), y + 0.5 - (bottom - radius));
    if (dx <= 0 || dy <= 0) return 1;
    return Math.max(0, Math.min(1, 0.5 + radius - Math.sqrt(dx * dx + dy * dy)));
  };
}
