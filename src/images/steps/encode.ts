// Writes the format of the plan. Metadata is left out, because nothing asks to keep it.
import type { Step } from './step.ts';

export const encode: Step = (image, { encoder }) => image.toFormat(encoder.name, encoder.options);
