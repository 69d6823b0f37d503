// What one rendering may cost: the hard limits, and an estimate by which the queue tells quick jobs from long ones.
import { AppError } from '../../platform/errors.ts';
import type { Size } from './geometry.ts';

/** Pixels of a source, over all frames that are decoded. */
export const maxInputPixels = 250_000_000;
const maxResultPixels = 50_000_000;
/** Frames are stacked into one tall picture while they are worked on; beyond this the image library gives up. */
const maxStackedHeightPixels = 10_000_000;

const decodeNanosecondsPerPixel = 10;
const heavyFromMs = 500;

export type CostClass = 'light' | 'heavy';

export function refuseOverBudget(result: Size, frames: number): void {
  const pixels = result.width * result.height * frames;
  if (pixels <= maxResultPixels && result.height * frames <= maxStackedHeightPixels) return;
  const size = `${result.width}×${result.height}${frames > 1 ? ` with ${frames} frames` : ''}`;
  const most = `${maxResultPixels / 1e6} megapixels over all frames`;
  throw new AppError(
    'invalid_transformation',
    `The result would be ${size}; the most is ${most}: ask for a smaller w or h`,
  );
}

/** Whether a picture is better cut before it is resized, although decoders then cannot take their shortcuts. */
export function isTooLargeToCut({ width, height }: Size, frames: number): boolean {
  return (
    width * height * frames > maxResultPixels ||
    Math.max(width, height * frames) > maxStackedHeightPixels / 10
  );
}

export function estimateMs(
  inputPixels: number,
  outputPixels: number,
  encodeNanosecondsPerPixel: number,
): number {
  return Math.ceil(
    (inputPixels * decodeNanosecondsPerPixel + outputPixels * encodeNanosecondsPerPixel) / 1e6,
  );
}

export function costClassOf(estimatedMs: number): CostClass {
  return estimatedMs < heavyFromMs ? 'light' : 'heavy';
}
