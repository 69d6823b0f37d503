// Takes the part of the source the plan asks for, before anything else happens to it.
import type { Region } from '../geometry.ts';
import type { RenderPlan } from '../plan.ts';
import type { Step } from './step.ts';

export const crop: Step = (image, { plan }) => {
  const region = regionToDecode(plan);
  return region === null ? image : image.extract({ ...region });
};

/** What is cut before resizing is part of it, unless the picture is turned in between. */
export function regionToDecode({ crop: region, cut, turn }: RenderPlan): Region | null {
  if (turn !== null || cut?.kind !== 'before') return region;
  const { left, top, width, height } = cut.region;
  return { left: left + (region?.left ?? 0), top: top + (region?.top ?? 0), width, height };
}
