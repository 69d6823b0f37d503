// Lays colours over settled pixels, in place: for large pictures the image library would need three copies for the same.
import type { RawPicture } from '../raw-picture.ts';

/** One pixel; `alpha` from 0 to 1. */
export function blend(
  pixels: Buffer,
  at: number,
  red: number,
  green: number,
  blue: number,
  alpha: number,
): void {
  const below = ((pixels[at + 3] as number) / 255) * (1 - alpha);
  const total = alpha + below;
  if (total === 0) return;
  pixels[at] = Math.round((red * alpha + (pixels[at] as number) * below) / total);
  pixels[at + 1] = Math.round((green * alpha + (pixels[at + 1] as number) * below) / total);
  pixels[at + 2] = Math.round((blue * alpha + (pixels[at + 2] as number) * below) / total);
  pixels[at + 3] = Math.round(total * 255);
}

/** A whole picture, of which no part may lie outside. */
export function layOver(
  ground: RawPicture,
  { pixels, width, height }: RawPicture,
  place: { readonly left: number; readonly top: number; readonly opacity: number },
): void {
  for (let y = 0; y < height; y += 1) {
    let to = ((place.top + y) * ground.width + place.left) * 4;
    for (let from = y * width * 4; from < (y + 1) * width * 4; from += 4, to += 4) {
      const alpha = ((pixels[from + 3] as number) / 255) * place.opacity;
      blend(
        ground.pixels,
        to,
        pixels[from] as number,
        pixels[from + 1] as number,
        pixels[from + 2] as number,
        alpha,
      );
    }
  }
}
