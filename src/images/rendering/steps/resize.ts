// Brings the picture to the exact size of the plan, and cuts off what lies outside the box.
import type { Step } from './step.ts';

export const resize: Step = (image, { plan: { resize: size, cut } }) => {
  if (cut?.kind === 'content') return image.resize({ ...cut.size, fit: 'cover', position: cut.by });
  const resized = size === null ? image : image.resize({ ...size, fit: 'fill' });
  return cut?.kind === 'after' ? resized.extract({ ...cut.region }) : resized;
};
