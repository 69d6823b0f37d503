// Blurs as widely as asked without looking at thousands of neighbours for every pixel: what is blurred so much looks the
// same when it is made smaller first.
import type { Effects } from '../effects.ts';
import { type RawPicture, reopen, settle } from '../raw-picture.ts';

/** Up to this the image library blurs at full size. */
const widestPlain = 25;
const sigmaWhenSmall = 12;

export function isWideBlur(effects: Effects | null): boolean {
  return effects !== null && effects.blurSigma !== null && effects.blurSigma > widestPlain;
}

export async function blurWidely(picture: RawPicture, sigma: number): Promise<RawPicture> {
  const { width, height } = picture;
  const shrunk = (side: number): number => Math.max(1, Math.round((side * sigmaWhenSmall) / sigma));
  const small = { width: shrunk(width), height: shrunk(height) };
  const scale = Math.sqrt((small.width / width) * (small.height / height));
  const blurred = await settle(
    reopen(picture)
      .resize({ ...small, fit: 'fill' })
      .blur(Math.max(0.3, sigma * scale)),
  );
  return settle(reopen(blurred).resize({ width, height, fit: 'fill', kernel: 'cubic' }));
}
