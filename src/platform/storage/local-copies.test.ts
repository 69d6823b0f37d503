import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { LocalCopies } from './local-copies.ts';

async function openCopies(t: TestContext, options: { maxBytes: number; graceMs?: number }) {
  const folder = await mkdtemp(join(tmpdir(), 'tintype-copies-'));
  t.after(() => rm(folder, { recursive: true }));
  return { folder, copies: new LocalCopies({ folder, graceMs: 0, ...options }) };
}

async function add(copies: LocalCopies, key: string, size: number, usedSecondsAgo = 0): Promise<void> {
  const path = await copies.stage();
  await writeFile(path, Buffer.alloc(size));
  const used = new Date(Date.now() - usedSecondsAgo * 1000);
  await utimes(path, used, used);
  await copies.adopt(key, path);
  await copies.settled();
}

async function there(copies: LocalCopies, keys: string[]): Promise<string[]> {
  const found = await Promise.all(keys.map(async (key) => ((await copies.find(key)) ? [key] : [])));
  return found.flat();
}

test('those used longest ago go first, down to nine tenths', async (t) => {
  const { copies } = await openCopies(t, { maxBytes: 1000 });
  for (const [index, key] of ['a/1', 'a/2', 'b/3', 'b/4'].entries())
    await add(copies, key, 250, 1000 - index);
  assert.equal(copies.bytes, 1000);
  await add(copies, 'c/5', 250, 1);
  assert.deepEqual(await there(copies, ['a/1', 'a/2', 'b/3', 'b/4', 'c/5']), ['b/3', 'b/4', 'c/5']);
  assert.equal(copies.bytes, 750);
});

test('a use counts, and empty folders go', async (t) => {
  const { copies, folder } = await openCopies(t, { maxBytes: 1000 });
  await add(copies, 'x/y/old', 400, 1000);
  await add(copies, 'x/z/older', 400, 2000);
  assert.ok(await copies.find('x/z/older'));
  await add(copies, 'x/new', 400, 10);
  assert.deepEqual(await there(copies, ['x/y/old', 'x/z/older', 'x/new']), ['x/z/older', 'x/new']);
  assert.deepEqual((await readdir(join(folder, 'x'))).sort(), ['new', 'z']);
});

test('what is held or was used a moment ago stays, whatever the limit', async (t) => {
  const { copies } = await openCopies(t, { maxBytes: 100, graceMs: 60_000 });
  await add(copies, 'a/recent', 400, 30);
  await add(copies, 'a/old', 400, 500);
  assert.deepEqual(await there(copies, ['a/recent', 'a/old']), ['a/recent']);

  const other = await openCopies(t, { maxBytes: 500 });
  await add(other.copies, 'a/held', 400, 500);
  const held = await other.copies.take('a/held');
  assert.ok(held);
  await utimes(held.path, 1, 1);
  await add(other.copies, 'a/more', 400, 100);
  assert.deepEqual(await there(other.copies, ['a/held', 'a/more']), ['a/held']);
  held.release();
  await utimes(held.path, 1, 1);
  await add(other.copies, 'a/third', 400, 0);
  assert.deepEqual(await there(other.copies, ['a/held', 'a/third']), ['a/third']);
});

test('what others put into the folder counts too, also what was there at the start', async (t) => {
  const { copies, folder } = await openCopies(t, { maxBytes: 1000 });
  const path = join(folder, 'a/earlier');
  await mkdir(dirname(path));
  await writeFile(path, Buffer.alloc(800));
  await utimes(path, 1, 1);
  assert.equal(await copies.isEmpty(), false);
  await add(copies, 'a/new', 400, 5);
  assert.deepEqual(await there(copies, ['a/earlier', 'a/new']), ['a/new']);
});

test('forgetting is for one or for a folder, and may be repeated', async (t) => {
  const { copies, folder } = await openCopies(t, { maxBytes: 1000 });
  for (const key of ['a/x', 'a/x.film/1', 'a/x.film/2', 'b']) await add(copies, key, 10);
  for (let round = 0; round < 2; round += 1) {
    await copies.forget('a/x');
    await copies.forgetFolder('a/x.film/');
    await copies.forget('a');
  }
  assert.deepEqual(await there(copies, ['a/x', 'a/x.film/1', 'a/x.film/2', 'b']), ['b']);
  assert.ok((await stat(join(folder, 'a'))).isDirectory());
  assert.equal(await copies.take('a'), null);
});
