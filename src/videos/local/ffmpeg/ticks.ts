// Moments as whole numbers of 1/90000 second, the unit of our streams: it divides the usual frame rates without rest.
import { Rational, avRescaleQ } from 'node-av/lib';
import type { Frame } from 'node-av/lib';

export const ticksPerSecond = 90_000;
export const tickBase = new Rational(1, ticksPerSecond);
/** How FFmpeg writes that it does not know a moment. */
export const unknownMoment = -(2n ** 63n);

type Base = { readonly num: number; readonly den: number };

export function ticksOf(moment: bigint, base: Base): number {
  return Number(avRescaleQ(moment, base, tickBase));
}

export function fromTicks(ticks: number, base: Base): bigint {
  return avRescaleQ(BigInt(Math.round(ticks)), tickBase, base);
}

/** When a decoded frame is shown, or null when nobody knows. */
export function momentOf(frame: Frame, base: Base): number | null {
  const moment = frame.bestEffortTimestamp === unknownMoment ? frame.pts : frame.bestEffortTimestamp;
  return moment === unknownMoment ? null : ticksOf(moment, base);
}
