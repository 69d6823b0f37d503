// Brings the picture to the exact size of the plan.
import type { Step } from './step.ts';

export const resize: Step = (image, { resize: target }) =>
  target === null ? image : image.resize({ ...target });
