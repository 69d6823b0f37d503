// Which variants cost so much that nodes should rather wait for each other than make them twice, and which originals are
// remembered when they fail.
import type { RenderPlan } from '../rendering/plan.ts';
import type { VariantTransformation } from '../address/transformation.ts';
import type { OriginalImage } from './original-image.ts';

const maxCheapAvifPixels = 2_000_000;

type Making = {
  readonly original: Pick<OriginalImage, 'generation' | 'moment'>;
  readonly transformation: VariantTransformation;
  readonly plan: Pick<RenderPlan, 'costClass' | 'width' | 'height'>;
};

export function isExpensive({ original, transformation: { tokens, format }, plan }: Making): boolean {
  if (plan.costClass === 'heavy' || original.moment) return true;
  if (tokens['bg-remove'] === true || tokens.g === 'face') return true;
  return format === 'avif' && plan.width * plan.height > maxCheapAvifPixels;
}

/** By what its failure is remembered; null where little is lost by trying, or the watermark may be at fault. */
export function riskOf(
  { original, transformation, plan }: Making,
  mark: OriginalImage | undefined,
): string | null {
  if (plan.costClass !== 'heavy' || mark) return null;
  return `${original.generation} ${transformation.format}`;
}
