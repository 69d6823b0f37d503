import assert from 'node:assert/strict';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { openStorage } from './open-storage.ts';

test('a file address may be relative, absolute or a URL, and its folder is made for the owner alone', async (t) => {
  const base = await mkdtemp(join(tmpdir(), 'tintype-open-'));
  t.after(() => rm(base, { recursive: true }));
  const root = join(base, 'deep', 'a %41 folder');
  for (const address of [`file:${root}`, `file:${relative('.', root)}`, pathToFileURL(root).href]) {
    const storage = await openStorage(address);
    assert.equal(storage.pathOnDisk('a/b'), join(root, 'a/b'));
  }
  assert.equal((await stat(root)).mode & 0o777, 0o700);
});

test('other addresses are refused with what to do', async () => {
  await assert.rejects(openStorage('s3://b'), /must name a bucket/);
  for (const address of ['', 'data', '/data', 'http://host/', 'file:', 'FILE:x']) {
    await assert.rejects(openStorage(address), /storage address/);
  }
  await assert.rejects(openStorage('file://otherhost/data'), /storage address/);
});

test('a folder that cannot be used stops the start and is named', async (t) => {
  const base = await mkdtemp(join(tmpdir(), 'tintype-open-'));
  t.after(() => rm(base, { recursive: true }));
  await writeFile(join(base, 'file'), '');
  await assert.rejects(
    openStorage(`file:${join(base, 'file', 'root')}`),
    /The storage folder .*root cannot be used: .*ENOTDIR/,
  );
});
