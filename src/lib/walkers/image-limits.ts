// How large a picture may be. Walkers hold the limits against the header, before anything is decoded.
import { corrupt, ImageFault, unsupported } from './image-fault.ts';
import type { Size } from './image-facts.ts';

export type ImageLimits = {
  /** Width × height of one frame. */
  maxPixels: number;
  maxFrames: number;
  /** Width × height × frames. */
  maxTotalPixels: number;
};

// A decoded pixel takes 4 bytes. 120 million of them (480 MB) is about the most one worker can be allowed to hold, less
// than sharp's own default of 16383², and room for the 108 megapixels of today's largest phones. Frames are held one at a time, so that the sum of them bounds time instead:
// 500 million is a minute of 640×480 at 25 frames a second. 1,000 tiny frames cost little to store and much to enlarge.
export const defaultImageLimits: ImageLimits = {
  maxPixels: 120_000_000,
  maxFrames: 1000,
  maxTotalPixels: 500_000_000,
};

export function checkSize({ width, height }: Size, limits: ImageLimits): void {
  if (width === 0 || height === 0) throw corrupt('its width or height is zero');
  const pixels = width * height;
  if (pixels > limits.maxPixels) throw tooManyPixels('The picture has', pixels, limits.maxPixels);
}

/** Decoders have bounds of their own beside ours. */
export function checkSides({ width, height }: Size, most: number): void {
  if (Math.max(width, height) <= most) return;
  throw unsupported(`A picture of this kind can be at most ${grouped(most)} pixels wide or high`);
}

export function checkFrames({ width, height }: Size, frames: number, limits: ImageLimits): void {
  if (frames > limits.maxFrames) {
    const most = grouped(limits.maxFrames);
    throw new ImageFault('too_many_frames', `The picture has more than ${most} frames, which is the most`);
  }
  const pixels = width * height * frames;
  if (pixels > limits.maxTotalPixels) {
    throw tooManyPixels('The parts of the picture together have', pixels, limits.maxTotalPixels);
  }
}

function tooManyPixels(subject: string, pixels: number, most: number): ImageFault {
  const message = `${subject} ${grouped(pixels)} pixels; the most is ${grouped(most)}`;
  return new ImageFault('too_many_pixels', message);
}

/** 1600000000 as 1,600,000,000. */
function grouped(value: number): string {
  return value.toLocaleString('en-US');
}
