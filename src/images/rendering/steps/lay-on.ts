// Lays a picture with transparent parts on a colour: where the format knows no transparency, or the address names one.
import { isOpaque } from '../../address/colour.ts';
import type { Step } from './step.ts';

export const layOn: Step = (image, { plan: { layOn: ground, width, height } }) => {
  if (ground === null) return image;
  if (isOpaque(ground)) return image.flatten({ background: ground });
  const input = { create: { width, height, channels: 4 as const, background: ground } };
  return image.composite([{ input, blend: 'dest-over' }]);
};
