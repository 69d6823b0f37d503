// Turns and mirrors the picture. Corners that appear are filled with the background.
import type { Step } from './step.ts';

export const rotate: Step = (image, { plan: { turn, background } }) =>
  turn === null || turn.degrees === 0 ? image : image.rotate(turn.degrees, { background });

export const mirror: Step = (image, { plan: { turn } }) => {
  const flopped = turn?.flop ? image.flop() : image;
  return turn?.flip ? flopped.flip() : flopped;
};
