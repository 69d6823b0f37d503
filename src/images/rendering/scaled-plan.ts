// A plan for the original, carried out on a smaller copy of it: the result keeps its size, only what is measured in pixels
// of the source changes.
import type { Region, Size } from './geometry.ts';
import type { RenderPlan } from './plan.ts';

export function scaledPlan(plan: RenderPlan, copy: Size): RenderPlan {
  const scale = { x: copy.width / plan.source.width, y: copy.height / plan.source.height };
  const crop = plan.crop === null ? null : scaled(plan.crop, scale, copy);
  const used = plan.crop ?? plan.source;
  return {
    ...plan,
    source: copy,
    crop,
    cut:
      plan.cut?.kind === 'before'
        ? { kind: 'before', region: scaled(plan.cut.region, scale, crop ?? copy) }
        : plan.cut,
    // Also where the original has just the size that is wanted, its copy must be brought to it.
    resize: plan.resize ?? { width: used.width, height: used.height },
  };
}

function scaled(region: Region, scale: { x: number; y: number }, within: Size): Region {
  const left = Math.min(within.width - 1, Math.round(region.left * scale.x));
  const top = Math.min(within.height - 1, Math.round(region.top * scale.y));
  return {
    left,
    top,
    width: Math.max(1, Math.min(within.width - left, Math.round(region.width * scale.x))),
    height: Math.max(1, Math.min(within.height - top, Math.round(region.height * scale.y))),
  };
}
