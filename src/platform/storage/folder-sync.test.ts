import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { createFolderSync } from './folder-sync.ts';

async function newFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tintype-sync-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test('who asks before the fsync begins shares it; each folder has its own', async (t) => {
  const [one, other] = [await newFolder(t), await newFolder(t)];
  const syncFolder = createFolderSync();
  const first = syncFolder(one);
  assert.equal(syncFolder(one), first);
  assert.notEqual(syncFolder(other), first);
  await first;
  assert.notEqual(syncFolder(one), first);
});

test('a round that fails fails all who share it, and the next one works', async (t) => {
  const folder = await newFolder(t);
  const syncFolder = createFolderSync();
  await rm(folder, { recursive: true });
  const failed = await Promise.allSettled([syncFolder(folder), syncFolder(folder)]);
  assert.deepEqual(
    failed.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  await syncFolder(tmpdir());
});
