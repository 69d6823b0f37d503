// Lays a picture with transparent parts on a colour, where the format knows no transparency.
import type { Step } from './step.ts';

export const flatten: Step = (image, { flattenOn }) =>
  flattenOn === null ? image : image.flatten({ background: flattenOn });
