// Looking at pictures, which makes variants: of objects that hold still, and of some that are changed meanwhile.
import type { Work } from './context.ts';

const transformations = [
  'w-20.webp',
  'h-24_w-24.jpg',
  'original.webp',
  'fit-max_w-33.png',
  'h-200_w-200.webp',
];

export const view: Work = async (context) => {
  const { model, random } = context;
  await model.withObjects(random, 1, async ([[id, state]]) => {
    await context.expectOriginal(id, state.sha256);
    await context.request(`${await context.addressOf(id)}${random.pick(transformations)}`);
  });
};

export const keepVariant: Work = async (context) => {
  const { model, random } = context;
  await model.withObjects(random, 1, async ([[id]]) => {
    await context.request(`/create/${id}/${random.pick(transformations)}`);
  });
};

/** Whatever others may be changing or deleting at the moment. */
export const peek: Work = async (context) => {
  const { model, random } = context;
  const ids = [...model.states().keys()];
  if (ids.length === 0) return;
  const address = await context.addressOf(random.pick(ids));
  await context.request(`${address}${random.pick(transformations)}`, {}, [200, 404]);
};
