// A smaller copy of a large original, made once at upload, from which most variants come: decoding it costs a fraction of
// decoding the original. Only where the result is clearly smaller, so that nobody sees a difference.
import { stat, utimes } from 'node:fs/promises';
import { estimateMs } from '../rendering/budget.ts';
import { type Size, turnedSize, within } from '../rendering/geometry.ts';
import type { RenderPlan, SourceFacts } from '../rendering/plan.ts';
import type { VariantTransformation } from '../address/transformation.ts';

export const mezzanineFileName = 'mezzanine.jpg';
const mezzanineSide = 2048;
/** Below this the original is nearly as quick. */
const worthwhileFrom = 1.4;
/** What is left to shrink from the copy: hides that it was compressed once more. */
const leastShrink = 1.2;
const quality = 88;
const touchAfterMs = 600_000;

/** Stills without transparency, which JPEG holds well. */
export function deservesMezzanine({ width, height, frames, alpha }: SourceFacts): boolean {
  return frames === 1 && !alpha && Math.max(width, height) >= mezzanineSide * worthwhileFrom;
}

export function mezzanineSize(source: Size): Size {
  return within(source, mezzanineSide);
}

export function mezzanineTransformation(): VariantTransformation {
  return {
    kind: 'variant',
    tokens: { w: mezzanineSide, h: mezzanineSide, fit: 'max', q: quality },
    format: 'jpg',
  };
}

export function suitsMezzanine(
  source: SourceFacts,
  plan: RenderPlan,
  { tokens }: VariantTransformation,
): boolean {
  if (!deservesMezzanine(source) || plan.metadata !== 'none' || tokens.trim !== undefined) return false;
  const target = plan.resize;
  if (target === null) return false;
  const used = plan.cut?.kind === 'before' ? plan.cut.region : usedSize(plan);
  const scale = Math.max(target.width / used.width, target.height / used.height);
  return scale * leastShrink <= mezzanineSize(source).width / source.width;
}

function usedSize({ crop, source, turn }: RenderPlan): Size {
  return turnedSize(crop ?? source, turn?.degrees ?? 0);
}

/** What decoding it instead saves, for the queue's estimate. */
export function estimateFromMezzanine(source: Size, plan: RenderPlan): number {
  const copy = mezzanineSize(source);
  const saved = source.width * source.height - copy.width * copy.height;
  return Math.max(1, plan.estimatedMs - estimateMs(saved, 0, 0));
}

/** Whether there is one; using it keeps it from being dropped. */
export async function takeMezzanine(path: string): Promise<boolean> {
  const facts = await stat(path).catch(() => null);
  const now = Date.now();
  if (facts && now - facts.mtimeMs > touchAfterMs)
    await utimes(path, now / 1000, now / 1000).catch(() => undefined);
  return facts?.isFile() === true;
}
