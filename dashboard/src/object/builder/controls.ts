// Everything that can be asked of a picture. The controls of the page, and the address they make, come from these tables.
import type { ImageAddress } from '../../../../client/src/index.ts';
import type { Control, Values } from './control.ts';
import { pixelControls } from './pixel-controls.ts';
import { sizeControls } from './size-controls.ts';
import { surroundingControls } from './surrounding-controls.ts';

export const controls: readonly Control[] = [...sizeControls, ...pixelControls, ...surroundingControls];

export function lookOf(picture: ImageAddress, values: Values): ImageAddress {
  return controls.reduce((made, { name, apply }) => {
    const value = values[name] ?? '';
    return value === '' ? made : apply(made, value, values);
  }, picture);
}
