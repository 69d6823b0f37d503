// Which renditions a film gets: 1080, 720 and 480 pixels on the shorter side as it is shown, never more than the film has.
import type { FilmFacts } from '../film.ts';

export type Rung = {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  /** In bits per second; quality decides below it. */
  readonly maxBitRate: number;
};

type Shown = Pick<FilmFacts, 'width' | 'height' | 'frameRate'>;

const standardSides = [1080, 720, 480] as const;
/** A film so little above a standard size is made that size rather than given a rung of its own. */
const closeEnough = 1.1;
/** What decoders of H.264 can be relied on to take, for panoramas. */
const maxLongerSide = 4096;
const bitsPerSecondOf1080 = 6_000_000;
const pixelsOf1080 = 1920 * 1080;

/** From the largest to the smallest; at least one. */
export function ladderOf(film: Shown): Rung[] {
  const shorter = Math.min(film.width, film.height);
  const standard = standardSides.filter((side) => side <= shorter);
  const [largest] = standard;
  const isBetween = largest === undefined || (shorter < standardSides[0] && shorter > largest * closeEnough);
  const sides = isBetween ? [shorter, ...standard] : standard;
  return sides.map((side) => rungOf(film, side));
}

/** What the film itself would be among the rungs. */
export function ownRung(film: Shown): Rung {
  return rungOf(film, Math.min(film.width, film.height));
}

function rungOf(film: Shown, shorterSide: number): Rung {
  const longer = Math.max(film.width, film.height);
  const factor = Math.min(shorterSide / Math.min(film.width, film.height), maxLongerSide / longer);
  const [width, height] = [even(film.width * factor), even(film.height * factor)];
  return { name: `${shorterSide}p`, width, height, maxBitRate: maxBitRate(width * height, film.frameRate) };
}

/** Larger pictures need fewer bits for each pixel, and faster films fewer for each frame. */
function maxBitRate(pixels: number, frameRate: number): number {
  const forSize = bitsPerSecondOf1080 * (pixels / pixelsOf1080) ** 0.85;
  const forSpeed = frameRate > 35 ? 1.5 : 1;
  return Math.max(100_000, Math.round((forSize * forSpeed) / 1000) * 1000);
}

/** H.264 halves the resolution of colours, so that both sides must be even. */
function even(length: number): number {
  return Math.max(2, Math.round(length / 2) * 2);
}
