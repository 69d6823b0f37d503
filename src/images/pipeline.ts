// Everything that happens to a picture, in the order it happens, whatever the order of the tokens.
import type { Metadata, Sharp } from 'sharp';
import type { RenderPlan } from './plan.ts';
import { crop } from './steps/crop.ts';
import { encode } from './steps/encode.ts';
import { flatten } from './steps/flatten.ts';
import { resize } from './steps/resize.ts';
import type { Step } from './steps/step.ts';
import { toSrgb } from './steps/to-srgb.ts';

const steps: readonly Step[] = [crop, flatten, resize, toSrgb, encode];

export function applySteps(image: Sharp, plan: RenderPlan, header: Metadata): Sharp {
  return steps.reduce((result, step) => step(result, plan, header), image);
}
