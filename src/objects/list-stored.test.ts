import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createFileStorage } from '../platform/storage/file-storage.ts';
import { listStored } from './list-stored.ts';

test('what is stored is listed in order, past the variants between it', async () => {
  const root = await mkdtemp(join(tmpdir(), 'tintype-list-stored-'));
  try {
    const storage = createFileStorage({ root });
    const stored = ['alpha/bucket.json', 'cache-1/x', 'cache0/x', 'delta/x', 'variants-1/x', 'zeta/x'];
    const variants = ['cache/alpha/1/2/3/a.webp', 'cache/zeta/1/2/3/a.webp', 'variants/delta/1/2/3/a.webp'];
    for (const key of [...stored, ...variants]) await storage.put(key, Buffer.from('x'));
    const found: string[] = [];
    for await (const { key } of listStored(storage)) found.push(key);
    assert.deepEqual(found, stored);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});
