// Lays another picture over it: the watermark.
import { pointOf } from '../focus.ts';
import { type RawPicture, reopen, settle } from '../raw-picture.ts';
import { decode } from './decode.ts';
import type { Work } from './step.ts';

/** Of the shorter side: the watermark keeps this far from the edges. */
const marginShare = 0.03;

export async function mark(picture: RawPicture, { plan, markPath }: Work): Promise<RawPicture> {
  if (plan.mark === null || markPath === null) return picture;
  const size = { width: picture.width, height: picture.height };
  const margin = Math.round(Math.min(size.width, size.height) * marginShare);
  const box = {
    width: Math.max(1, Math.min(Math.round(size.width * plan.mark.width), size.width)),
    height: Math.max(1, size.height - 2 * margin),
  };
  const overlay = await settle(decode(markPath).resize({ ...box, fit: 'inside' }));
  fade(overlay.pixels, plan.mark.opacity);
  const at = pointOf(plan.mark.place);
  const start = (whole: number, length: number, share: number): number => {
    const room = Math.max(0, whole - length);
    return Math.min(room, Math.max(0, Math.round(margin + Math.max(0, room - 2 * margin) * share)));
  };
  const { pixels: input, width, height } = overlay;
  const left = start(size.width, width, at.x);
  const top = start(size.height, height, at.y);
  return settle(reopen(picture).composite([{ input, raw: { width, height, channels: 4 }, left, top }]));
}

function fade(pixels: Buffer, opacity: number): void {
  if (opacity === 1) return;
  for (let alpha = 3; alpha < pixels.length; alpha += 4)
    pixels[alpha] = Math.round((pixels[alpha] as number) * opacity);
}
