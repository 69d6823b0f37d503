// What a user calls things: any text is accepted under the rules or is a 400 with a sentence, and taking what was
// accepted once more changes nothing.
import assert from 'node:assert/strict';
import {
  checkTags,
  cleanFileName,
  isObjectId,
  parseFolder,
  parseObjectId,
  parseTagList,
} from '../../src/objects/object-fields.ts';
import { AppError } from '../../src/platform/errors.ts';
import type { Random } from '../support/random.ts';
import { hostileStrings } from '../support/hostile-strings.ts';
import { mutateText } from './mutate.ts';

const samples = ['a/b/c', 'holiday, beach ,sun', 'my-picture_1.final', 'C:\\temp\\naïve 🦊.jpg', 'tags', ''];
const pieces = [...hostileStrings(), '/', ',', '//', '.', '..', '/../', ' ', '\\', '\u0000', '\ud83e', '🦊'];
// oxlint-disable-next-line no-control-regex -- the documented rule
const control = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

export function makeField(random: Random): string {
  const hostile = random.chance(0.3);
  return mutateText(random, random.pick(hostile ? pieces : samples), pieces);
}

export function checkField(text: string): void {
  const id = accepted(() => parseObjectId(text));
  if (id !== undefined && id !== null) assert.ok(id === text && isObjectId(text));
  const folder = accepted(() => parseFolder(text));
  if (folder !== undefined) {
    assert.equal(parseFolder(folder), folder, 'a folder is taken as it was given back');
    if (folder !== null) assertClean(folder, 512);
  }
  const tags = accepted(() => parseTagList(text));
  if (tags !== undefined) {
    assert.deepEqual(checkTags(tags), tags, 'tags are taken as they were given back');
    assert.deepEqual(parseTagList(tags.join(',')), tags);
    for (const tag of tags) assertClean(tag, 100);
  }
  accepted(() => checkTags([text, text]));
  const name = cleanFileName(text);
  assert.ok(name !== '' && Buffer.byteLength(name) <= 255 && !/[/\\]/.test(name), 'a file name');
  assertClean(name, 255);
  assert.equal(cleanFileName(name), name, 'a file name is taken as it was given back');
}

/** Undefined when it is refused, as it should be. */
function accepted<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch (error) {
    assert.ok(error instanceof AppError && error.status === 400, `${String(error)} is no answer`);
    return undefined;
  }
}

function assertClean(text: string, maxCharacters: number): void {
  assert.ok(text.isWellFormed() && !control.test(text) && Array.from(text).length <= maxCharacters);
}
