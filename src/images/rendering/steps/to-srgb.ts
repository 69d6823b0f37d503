// Makes the colours sRGB. The image library does so for 8 bits by itself, but works in Display P3 when there are 16 and
// would leave those numbers as they are: only then is the way back spelt out, because it costs time.
import type { Step } from './step.ts';

export const toSrgb: Step = (image, { header }) =>
  header.depth === 'ushort' && header.hasProfile ? image.withIccProfile('srgb', { attach: false }) : image;
