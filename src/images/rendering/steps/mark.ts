// Lays another picture over it: the watermark.
import { pointOf } from '../focus.ts';
import type { Size } from '../geometry.ts';
import { type RawPicture, settle } from '../raw-picture.ts';
import { layOver } from './blend.ts';
import { decode } from './decode.ts';
import type { Work } from './step.ts';

/** Of the shorter side: the watermark keeps this far from the edges. */
const marginShare = 0.03;

/** Opened once for all frames of an animation, which have one size. */
export function createMarker({ plan: { mark }, markPath }: Work) {
  let overlay: Promise<RawPicture> | null = null;

  return async function draw(picture: RawPicture): Promise<void> {
    if (mark === null || markPath === null) return;
    const margin = Math.round(Math.min(picture.width, picture.height) * marginShare);
    overlay ??= open(markPath, boxFor(picture, mark.width, margin));
    const { width, height } = await overlay;
    const at = pointOf(mark.place);
    const start = (whole: number, length: number, share: number): number => {
      const room = Math.max(0, whole - length);
      return Math.min(room, Math.max(0, Math.round(margin + Math.max(0, room - 2 * margin) * share)));
    };
    const left = start(picture.width, width, at.x);
    const top = start(picture.height, height, at.y);
    layOver(picture, await overlay, { left, top, opacity: mark.opacity });
  };
}

function open(path: string, box: Size): Promise<RawPicture> {
  return settle(decode(path).resize({ ...box, fit: 'inside' }));
}

function boxFor({ width, height }: Size, share: number, margin: number): Size {
  return {
    width: Math.max(1, Math.min(Math.round(width * share), width)),
    height: Math.max(1, height - 2 * margin),
  };
}
