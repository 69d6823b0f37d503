// Takes the part of the source the plan asks for, before anything else happens to it.
import type { Step } from './step.ts';

export const crop: Step = (image, { crop: region }) =>
  region === null ? image : image.extract({ ...region });
