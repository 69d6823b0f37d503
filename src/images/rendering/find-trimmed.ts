// Finds what is left of a picture once edges of one colour are cut off. Looked for in a copy of moderate size, so that a
// huge source needs no huge memory.
import type { Region, Size } from './geometry.ts';
import type { RenderPlan } from './plan.ts';
import { reopen, settle } from './raw-picture.ts';
import { decode } from './steps/decode.ts';

const maxSidePixels = 4096;
const mostDifference = 255;
/** The image library looks for edges in no smaller picture, and there would be nothing left of one. */
const minSidePixels = 3;

export async function findTrimmed(
  inputPath: string,
  frame: number,
  plan: RenderPlan,
  tolerance: number,
): Promise<Region> {
  const used: Region = plan.crop ?? { left: 0, top: 0, ...plan.source };
  const opened = decode(inputPath, { first: frame, count: 1 });
  if (plan.crop !== null) opened.extract({ ...plan.crop });
  const picture = await settle(
    opened.resize({ width: maxSidePixels, height: maxSidePixels, fit: 'inside', withoutEnlargement: true }),
  );
  if (Math.min(picture.width, picture.height) < minSidePixels) return used;
  const { info } = await reopen(picture)
    .trim({ threshold: (tolerance / 100) * mostDifference })
    .raw()
    .toBuffer({ resolveWithObject: true });
  const found = {
    left: -(info.trimOffsetLeft ?? 0),
    top: -(info.trimOffsetTop ?? 0),
    width: info.width,
    height: info.height,
  };
  return outward(found, picture, used);
}

/** Back in pixels of the source; what the copy could not show exactly is rather kept than cut. */
function outward(found: Region, copy: Size, used: Region): Region {
  const scale = { x: used.width / copy.width, y: used.height / copy.height };
  const left = Math.floor(found.left * scale.x);
  const top = Math.floor(found.top * scale.y);
  const right = Math.min(used.width, Math.ceil((found.left + found.width) * scale.x));
  const bottom = Math.min(used.height, Math.ceil((found.top + found.height) * scale.y));
  return { left: used.left + left, top: used.top + top, width: right - left, height: bottom - top };
}
