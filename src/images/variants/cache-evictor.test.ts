// The cache of variants against its limits, on real files: what goes, what stays, and what is counted.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { CacheEvictor } from './cache-evictor.ts';

let cacheDir: string;
beforeEach(async () => {
  cacheDir = await mkdtemp(join(tmpdir(), 'tintype-cache-'));
});
afterEach(() => rm(cacheDir, { recursive: true, force: true }));

/** Used so many seconds ago. */
async function put(folder: string, name: string, bytes: number, ageSeconds = 60): Promise<string> {
  await mkdir(join(cacheDir, folder), { recursive: true });
  const path = join(cacheDir, folder, name);
  await writeFile(path, Buffer.alloc(bytes));
  const usedAt = Date.now() / 1000 - ageSeconds;
  await utimes(path, usedAt, usedAt);
  return path;
}

async function left(folder = ''): Promise<string[]> {
  const entries = await readdir(join(cacheDir, folder), { recursive: true, withFileTypes: true });
  return entries.flatMap((entry) => (entry.isFile() ? [entry.name] : [])).sort();
}

test('those used longest ago go first, until there is some room again', async () => {
  for (const [index, name] of ['a', 'b', 'c', 'd', 'e'].entries())
    await put(`one/${index}`, name, 100, 500 - index * 100);
  const evictor = new CacheEvictor({ cacheDir, maxBytes: 350 });
  evictor.start();
  await evictor.settled();
  assert.deepEqual(await left(), ['c', 'd', 'e']);
  assert.equal(evictor.bytes, 300);
});

test('what is added counts, and makes room when it is too much', async () => {
  await put('one', 'old', 100, 900);
  const evictor = new CacheEvictor({ cacheDir, maxBytes: 250 });
  evictor.start();
  await evictor.settled();
  assert.equal(evictor.bytes, 100);
  await evictor.added(await put('one', 'new', 100), 100);
  assert.deepEqual(await left(), ['new', 'old']);
  await evictor.added(await put('one', 'newer', 100, 50), 100);
  await evictor.settled();
  assert.deepEqual(await left(), ['new', 'newer']);
});

test('what was just made stays until somebody could read it, however little room there is', async () => {
  const evictor = new CacheEvictor({ cacheDir, maxBytes: 0, graceMs: 300 });
  await evictor.added(await put('one', 'fresh', 100, 0), 100);
  await evictor.settled();
  assert.deepEqual(await left(), ['fresh']);
  await eventually(async () => assert.deepEqual(await left(), []));
  assert.equal(evictor.bytes, 0);
});

test('no original has more files than its bound; the oldest go, others’ stay', async () => {
  const evictor = new CacheEvictor({ cacheDir, maxBytes: 1e9, maxPerOriginal: 10 });
  await put('other', 'untouched', 1, 9999);
  for (let index = 0; index < 35; index++) {
    await evictor.added(await put('one', `f${String(index).padStart(2, '0')}`, 1, 1000 - index), 1);
    assert.ok((await left('one')).length <= 10, `${index}: ${(await left('one')).length}`);
  }
  assert.equal((await left('one')).at(-1), 'f34');
  assert.deepEqual(await left('other'), ['untouched']);
  assert.ok(evictor.bytes <= 10, String(evictor.bytes));
});

test('files that were there before the start count to the bound of their original', async () => {
  for (let index = 0; index < 20; index++) await put('one', `old${index}`, 1, 5000);
  const evictor = new CacheEvictor({ cacheDir, maxBytes: 1e9, maxPerOriginal: 10 });
  await evictor.added(await put('one', 'new', 1), 1);
  assert.equal((await left('one')).length, 9);
  assert.ok((await left('one')).includes('new'));
});

test('many added at once stay within both limits', async () => {
  const evictor = new CacheEvictor({ cacheDir, maxBytes: 2000, maxPerOriginal: 10 });
  await Promise.all(
    Array.from({ length: 100 }, async (_, index) =>
      evictor.added(await put(`folder${index % 5}`, `f${index}`, 100, 1000 - index), 100),
    ),
  );
  await evictor.settled();
  evictor.start();
  await evictor.settled();
  assert.ok((await left()).length <= 20, String((await left()).length));
  assert.equal(evictor.bytes, (await left()).length * 100);
});

test('a folder that is not there, or goes while it is counted, is no trouble', async () => {
  const evictor = new CacheEvictor({ cacheDir: join(cacheDir, 'none'), maxBytes: 10 });
  evictor.start();
  await evictor.settled();
  await evictor.added(join(cacheDir, 'none', 'x'), 100);
  await evictor.settled();
  assert.equal(evictor.bytes, 0);
});
