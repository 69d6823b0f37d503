// Storage contract: walking keys in order.

import assert from 'node:assert/strict';
import type { Storage } from '../../src/platform/storage/storage.ts';
import { keysOf, type Check } from './storage-contract-support.ts';

export function listingContract(check: Check): void {
  const keys = ['a', 'b-1/x', 'b.1', 'b/0/y', 'b/00/y', 'b/00/y.json', 'b/01', 'b0', 'c/d/e/f', 'c/d/e0'];

  check('lists keys by their characters, whatever folders there are', async (storage) => {
    for (const key of keys.toReversed()) await storage.put(key, Buffer.from(key));
    assert.deepEqual(await keysOf(storage, ''), keys.toSorted());
    for await (const { key, size, modifiedAt } of storage.list('')) {
      assert.equal(size, key.length);
      assert.ok(Math.abs(modifiedAt - Date.now()) < 60_000);
    }
  });

  check('a prefix may end anywhere', async (storage) => {
    for (const key of keys) await storage.put(key, Buffer.from(key));
    for (const prefix of [
      'a',
      'b',
      'b/',
      'b/0',
      'b/0/',
      'b/00/y',
      'b/00/y.',
      'b-',
      'c/d/e',
      'c/d/e/',
      'zzz',
      'zzz/',
    ]) {
      const expected = keys.filter((key) => key.startsWith(prefix)).sort();
      assert.deepEqual(await keysOf(storage, prefix), expected, prefix);
    }
  });

  check('a walk may begin after any text', async (storage) => {
    for (const key of keys) await storage.put(key, Buffer.from(key));
    for (const after of ['', 'a', 'b', 'b/', 'b/0~', 'b/00/y', 'b/~', 'b/~~', 'c/d/e', 'c/d/e/~', 'zzz']) {
      const expected = keys.filter((key) => key > after).sort();
      assert.deepEqual(await keysAfter(storage, '', after), expected, after);
      const below = expected.filter((key) => key.startsWith('b/'));
      assert.deepEqual(await keysAfter(storage, 'b/', after), below, after);
    }
  });

  check('a walk may stop early and may delete what it meets', async (storage) => {
    const many = Array.from(
      { length: 150 },
      (_, index) => `a/${index % 5}/${String(index).padStart(3, '0')}`,
    );
    await Promise.all(many.map((key) => storage.put(key, Buffer.from('x'))));
    for await (const { key } of storage.list('a/')) {
      assert.equal(key, 'a/0/000');
      break;
    }
    for await (const { key } of storage.list('a/')) await storage.delete(key);
    assert.deepEqual(await keysOf(storage, ''), []);
  });

  check('more keys than fit in one answer are all listed, and all go with their folder', async (storage) => {
    const many = Array.from({ length: 1100 }, (_, index) => `many/${String(index).padStart(4, '0')}`);
    for (let index = 0; index < many.length; index += 50)
      await Promise.all(many.slice(index, index + 50).map((key) => storage.put(key, Buffer.from('x'))));
    assert.deepEqual(await keysOf(storage, 'many/'), many);
    await storage.deleteFolder('many/');
    assert.deepEqual(await keysOf(storage, ''), []);
  });
}

async function keysAfter(storage: Storage, prefix: string, after: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of storage.list(prefix, { after })) keys.push(key);
  return keys;
}
