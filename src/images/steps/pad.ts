// Adds what the plan asks for around the picture, in the colour of the background.
import type { Step } from './step.ts';

export const pad: Step = (image, { plan: { pad: sides, background } }) =>
  sides === null ? image : image.extend({ ...sides, background });
