// Writes the format of the plan.
import type { Step } from './step.ts';

export const encode: Step = (image, { plan: { encoder } }) => image.toFormat(encoder.name, encoder.options);
