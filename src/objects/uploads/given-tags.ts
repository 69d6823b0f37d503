// Tags in a JSON body: a list, or a text with commas as in the form of an upload.
import { type Static, Type } from 'typebox';
import { checkTags, parseTagList } from '../object-fields.ts';

const fault = 'Field "tags" must be an array of strings, or a text with commas';

export const Tags = Type.Union([Type.Array(Type.String()), Type.String()], { 'x-error': fault });

export function readTags(tags: Static<typeof Tags> | undefined): string[] {
  return Array.isArray(tags) ? checkTags(tags) : parseTagList(tags);
}
