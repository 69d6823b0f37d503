// Makes a matte for the picture from the small, soft one of the model: its edges move to those of the picture, what is
// surely inside or outside becomes solid, and only what is mixed in the picture (hair, fur, blur) stays soft.
import { boxBlur } from './box-blur.ts';
import { applyLinearModel, fitGuidedFilter } from './guided-filter.ts';
import type { Guide } from './guided-filter.ts';
import type { Pixels } from './open-still.ts';
import { resizePlane } from './plane.ts';
import type { Plane } from './plane.ts';

/** The edges are fitted at this size, and then applied to the picture itself. Larger ones would gain nothing. */
export const fitSidePixels = 800;
/** Shares of the longer side, after the softness of a matte of 320 pixels. */
const windowShare = 1 / 130;
const nearShare = 1 / 260;
const epsilon = 1e-4;
/** How much steeper the model's matte becomes before it is fitted: its softness is mostly its smallness. */
const steepness = 2;
/** What is closer to nothing or all than this counts as such. */
const solidFrom = 0.15;

/** `small` is the same picture as `picture`, no larger than the edges are fitted at. One byte for each pixel comes back. */
export function refineMatte(coarse: Plane, small: Pixels, picture: Pixels): Uint8Array {
  const side = Math.max(small.width, small.height);
  const seed = steepen(resizePlane(coarse, small));
  const radius = Math.max(1, Math.round(side * windowShare));
  const fitted = applyLinearModel(
    fitGuidedFilter(guideOf(small), seed, { radius, epsilon }),
    picture.data,
    picture,
  );
  const around = boxBlur(seed, Math.max(1, Math.round(side * nearShare)));
  return keepSolid(fitted, resizePlane(seed, picture), resizePlane(around, picture));
}

/** Far from any edge the model is right; near one, the picture knows better. */
function keepSolid(fitted: Plane, seed: Plane, around: Plane): Uint8Array {
  const result = new Uint8Array(fitted.data.length);
  const scale = 255 / (1 - 2 * solidFrom);
  for (let at = 0; at < result.length; at += 1) {
    const near = around.data[at]!;
    const trust = Math.min(1, 8 * Math.min(near, 1 - near));
    const share = fitted.data[at]! * trust + seed.data[at]! * (1 - trust);
    result[at] = Math.max(0, Math.min(255, Math.round((share - solidFrom) * scale)));
  }
  return result;
}

function steepen({ width, height, data }: Plane): Plane {
  const steeper = (share: number): number => {
    const moved = Math.max(0, Math.min(1, (share - 0.5) * steepness + 0.5));
    return moved * moved * (3 - 2 * moved);
  };
  return { width, height, data: data.map(steeper) };
}

function guideOf({ width, height, data }: Pixels): Guide {
  const channel = (offset: number): Plane => {
    const plane = new Float32Array(width * height);
    for (let at = 0; at < plane.length; at += 1) plane[at] = data[at * 3 + offset]! / 255;
    return { width, height, data: plane };
  };
  return [channel(0), channel(1), channel(2)];
}
