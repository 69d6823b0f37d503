// Parts of the input that several tools take.
import { Type } from 'typebox';

export const objectId = Type.String({ description: 'Id of the object, such as 254eb321f618', minLength: 1 });
export const tagList = Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
  description: 'Tags; an object must carry all of them',
  maxItems: 100,
});
export const folder = Type.String({
  description: 'Exactly this folder, such as trips/japan',
  maxLength: 512,
});
export const thumbnails = Type.Boolean({
  description: 'Whether to show the pictures too, as small thumbnails (at most ten)',
  default: false,
});
export const maxThumbnails = 10;
