// Everything that happens to a picture, in the order it happens, whatever the order of the tokens. Most pictures take the
// direct way: one run of the image library, which never holds a whole source. What its own order does not allow is done
// frame by frame, with the pixels settled in between.
import type { Metadata, Sharp } from 'sharp';
import { type Effects, mixesNeighbours } from './effects.ts';
import type { Size } from './geometry.ts';
import type { RenderPlan } from './plan.ts';
import { type RawPicture, reopen, settle, splitFrames, stackFrames } from './raw-picture.ts';
import { applyEffects } from './steps/apply-effects.ts';
import { border, roundCorners } from './steps/corners.ts';
import { crop, regionToDecode } from './steps/crop.ts';
import { cutOut } from './steps/cut-out.ts';
import { decode, type Frames } from './steps/decode.ts';
import { encode } from './steps/encode.ts';
import { keepMetadata } from './steps/keep-metadata.ts';
import { layOn } from './steps/lay-on.ts';
import { createMarker } from './steps/mark.ts';
import { fill, fillAndMargin, margin } from './steps/pad.ts';
import { resize } from './steps/resize.ts';
import type { Step, Work } from './steps/step.ts';
import { toSrgb } from './steps/to-srgb.ts';
import { mirror, rotate } from './steps/turn.ts';
import { blurWidely, isWideBlur } from './steps/wide-blur.ts';

const direct: readonly Step[] = [
  crop,
  layOn,
  resize,
  fillAndMargin,
  applyEffects,
  toSrgb,
  keepMetadata,
  encode,
];

export function applySteps(image: Sharp, steps: readonly Step[], work: Work): Sharp {
  return steps.reduce((result, step) => step(result, work), image);
}

export async function runPipeline(work: Work, frames: Frames): Promise<Sharp> {
  const image = decode(work.inputPath, frames);
  if (isDirect(work.plan, frames.count)) return applySteps(image, direct, work);
  const opened = await settle(applySteps(image, [crop, shrink, toSrgb], work));
  const done: RawPicture[] = [];
  const drawMark = createMarker(work);
  let settledWork = work;
  for (const frame of splitFrames(opened, frames.count)) {
    const result = await workOnFrame(frame, settledWork, drawMark);
    done.push(result.picture);
    settledWork = result.work;
  }
  return encodeFrames(done, work);
}

/** The image library lays on a colour first and changes colours last: so what was added must not be there by then. */
function isDirect(plan: RenderPlan, frames: number): boolean {
  const simple =
    plan.turn === null && !plan.cutOut && plan.mark === null && plan.border === null && plan.radius === 0;
  if (!simple || (plan.layOn !== null && plan.layOn.alpha !== 1) || isWideBlur(plan.effects)) return false;
  const isPadded = plan.fill !== null || plan.margin > 0;
  if (plan.effects !== null && (isPadded || plan.layOn !== null)) return false;
  // It also adds around the picture before it cuts.
  if (isPadded && plan.cut !== null && plan.cut.kind !== 'before') return false;
  return frames === 1 || (plan.cut?.kind !== 'content' && !mixesNeighbours(plan.effects));
}

/** Nothing that follows needs more pixels than the result has. */
const shrink: Step = (image, { plan }) => {
  const needed = neededSize(plan);
  return needed === null ? image : image.resize({ ...needed, fit: 'fill' });
};

function neededSize(plan: RenderPlan): Size | null {
  if (plan.turn === null) return plan.resize;
  const used = regionToDecode(plan) ?? plan.source;
  const from = plan.cut?.kind === 'before' ? plan.cut.region : null;
  const target = plan.resize;
  if (target === null || from !== null) return null;
  // Turned, its sides are at most as long together as before: what suits the shorter scale suits both.
  const longest = Math.max(target.width, target.height);
  const scale = longest / Math.min(used.width, used.height);
  if (scale >= 1) return null;
  return { width: Math.ceil(used.width * scale), height: Math.ceil(used.height * scale) };
}

async function workOnFrame(
  frame: RawPicture,
  work: Work,
  drawMark: (picture: RawPicture) => Promise<void>,
): Promise<{ picture: RawPicture; work: Work }> {
  const { plan } = work;
  const turned = await applySettled(await cutOut(frame, work), work, [
    [rotate, plan.turn !== null],
    [mirror, plan.turn !== null],
  ]);
  const cut = await cutAndResize(turned, work);
  const coloured = await withEffects(cut.picture, work);
  await drawMark(coloured);
  const filled = await applySettled(coloured, work, [[fill, plan.fill !== null]]);
  const shaped = roundCorners(await border(filled, work), work);
  const picture = await applySettled(shaped, work, [
    [margin, plan.margin > 0],
    [layOn, plan.layOn !== null],
  ]);
  return { picture, work: cut.work };
}

async function withEffects(picture: RawPicture, work: Work): Promise<RawPicture> {
  const { effects } = work.plan;
  if (effects === null) return picture;
  if (!isWideBlur(effects)) return applySettled(picture, work, [[applyEffects, true]]);
  const blurred = await blurWidely(picture, effects.blurSigma as number);
  const others: Effects = { ...effects, blurSigma: null };
  return applySettled(blurred, { ...work, plan: { ...work.plan, effects: others } }, [[applyEffects, true]]);
}

async function applySettled(
  picture: RawPicture,
  work: Work,
  steps: readonly (readonly [step: Step, needed: boolean])[],
): Promise<RawPicture> {
  let result = picture;
  for (const [step, needed] of steps) if (needed) result = await settle(step(reopen(result), work));
  return result;
}

/** Where the first frame was cut, all are: an animation must not jump. */
async function cutAndResize(picture: RawPicture, work: Work): Promise<{ picture: RawPicture; work: Work }> {
  const { plan } = work;
  const before = plan.turn !== null && plan.cut?.kind === 'before' ? plan.cut.region : null;
  const opened = before === null ? picture : await settle(reopen(picture).extract({ ...before }));
  if (plan.cut === null && (plan.resize === null || isSameSize(plan.resize, opened)))
    return { picture: opened, work };
  if (plan.cut?.kind !== 'content') return { picture: await settle(resize(reopen(opened), work)), work };
  const { data, info } = await resize(reopen(opened), work).raw().toBuffer({ resolveWithObject: true });
  const region = {
    left: -(info.cropOffsetLeft ?? 0),
    top: -(info.cropOffsetTop ?? 0),
    width: info.width,
    height: info.height,
  };
  const cut = { kind: 'after', region } as const;
  return {
    picture: { pixels: data, width: info.width, height: info.height },
    work: { ...work, plan: { ...plan, cut } },
  };
}

function isSameSize(a: Size, b: Size): boolean {
  return a.width === b.width && a.height === b.height;
}

function encodeFrames(frames: readonly RawPicture[], work: Work): Promise<Sharp> | Sharp {
  const { plan, header } = work;
  const [first] = frames;
  if (frames.length === 1 && first !== undefined) {
    const image = plan.metadata === 'all' ? onSource(first, work) : reopen(first);
    return applySteps(image, [keepMetadata, encode], work);
  }
  return keepMetadata(stackFrames(frames), work).toFormat(plan.encoder.name, {
    ...plan.encoder.options,
    ...timing(header),
  });
}

/** Settled pixels know no metadata: where all is to be kept, they replace those of the source in its own picture. */
function onSource({ pixels, width, height }: RawPicture, { inputPath }: Work): Sharp {
  return decode(inputPath)
    .resize({ width, height, fit: 'fill' })
    .ensureAlpha()
    .composite([{ input: pixels, raw: { width, height, channels: 4 }, blend: 'source' }]);
}

function timing({ delay, loop }: Metadata): { delay?: number[]; loop?: number } {
  return { ...(delay ? { delay } : {}), ...(loop === undefined ? {} : { loop }) };
}
