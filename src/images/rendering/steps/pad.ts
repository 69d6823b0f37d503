// Adds what the plan asks for around the picture, in the colour of the background.
import type { Sides } from '../plan.ts';
import type { Step } from './step.ts';

const around = (pixels: number): Sides => ({ top: pixels, right: pixels, bottom: pixels, left: pixels });

/** What the box leaves empty. */
export const fill: Step = (image, { plan: { fill: sides, background } }) =>
  sides === null ? image : image.extend({ ...sides, background });

export const margin: Step = (image, { plan: { margin: pixels, background } }) =>
  pixels === 0 ? image : image.extend({ ...around(pixels), background });

/** Both in one, where nothing comes in between: the image library adds only once. */
export const fillAndMargin: Step = (image, { plan: { fill: sides, margin: pixels, background } }) => {
  if (sides === null && pixels === 0) return image;
  const { top, right, bottom, left } = sides ?? around(0);
  return image.extend({
    top: top + pixels,
    right: right + pixels,
    bottom: bottom + pixels,
    left: left + pixels,
    background,
  });
};
