// Where variants lie: kept for good or droppable, moved between the two, and never both.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Scratch, scratchFolder } from '../../../test/support/plain-quarters.ts';
import { writeVariant } from './variant-file.ts';
import { VariantStore } from './variant-store.ts';

let scratch: Scratch;
let store: VariantStore;
const original = { bucketId: 'bucket1', generation: '0'.repeat(24) };

before(async () => {
  scratch = await scratchFolder();
  store = new VariantStore({ keptDir: join(scratch.path, 'kept'), cacheDir: join(scratch.path, 'cache') });
});
after(() => scratch[Symbol.asyncDispose]());

async function put(fileName: string, kept: boolean): Promise<void> {
  const path = store.pathOf(original, fileName, kept);
  await store.makeFolder(path);
  const image = Buffer.from(fileName);
  await writeVariant(path, image, { width: 1, height: 1, size: image.length, sha256: 'ab'.repeat(32) });
}

const places = (fileName: string): boolean[] =>
  [true, false].map((kept) => existsSync(store.pathOf(original, fileName, kept)));

async function find(fileName: string, kept: boolean): Promise<string | undefined> {
  const found = await store.find(original, fileName, kept);
  await found?.handle.close();
  return found?.path;
}

test('found in either place; moved only when it is to be kept', async () => {
  await put('a.webp', false);
  assert.equal(await find('a.webp', false), store.pathOf(original, 'a.webp', false));
  assert.equal(await find('a.webp', true), store.pathOf(original, 'a.webp', true));
  assert.deepEqual(places('a.webp'), [true, false]);
  assert.equal(await find('a.webp', false), store.pathOf(original, 'a.webp', true));
  await store.release(original, 'a.webp');
  assert.deepEqual(places('a.webp'), [false, true]);
  assert.equal(await find('b.webp', true), undefined);
});

test('unasked, an original keeps a hundred', async () => {
  for (let index = 0; index < 99; index += 1) {
    await store.makeFolder(store.pathOf(original, 'x', true));
    await writeFile(store.pathOf(original, `kept-${index}`, true), '');
  }
  await put('last.png', false);
  assert.equal(await store.keepIfRoom(original, 'last.png'), true);
  assert.deepEqual(places('last.png'), [true, false]);
  await put('more.png', false);
  assert.equal(await store.keepIfRoom(original, 'more.png'), false);
  assert.deepEqual(places('more.png'), [false, true]);
});

test('all of an original go together', async () => {
  await store.remove(original);
  assert.deepEqual([...places('last.png'), ...places('more.png')], [false, false, false, false]);
});
