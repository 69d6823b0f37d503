// Storage contract: what readers get, and which keys and ranges are refused.

import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { keysOf, read, patterned, type Check } from './storage-contract-support.ts';

// Paths that lead elsewhere, then names that are not ours, then what is no string at all.
const hostileKeys: unknown[] = [
  '',
  '/',
  '.',
  '..',
  '../x',
  'a/../b',
  'a/..',
  'a//b',
  '/abs',
  'a/',
  './a',
  'a/.',
  '.staging/x',
  'a/.hidden',
  'A',
  'ä',
  'a b',
  'a\\b',
  'a\0b',
  'a%2fb',
  'a\n',
  'a:b',
  'C:/x',
  '~',
  'a'.repeat(201),
  'a/'.repeat(300) + 'a',
  undefined,
  null,
  7,
  ['a'],
  {},
];

export function readingContract(check: Check): void {
  check('what is absent is null, and deleting it is no error', async (storage) => {
    assert.equal(await storage.get('a/b/c'), null);
    assert.equal(await storage.get('a/b/c', { start: 0, end: 0 }), null);
    assert.equal(await storage.head('a/b/c'), null);
    await storage.delete('a/b/c');
  });

  check('a folder of keys is not itself a key', async (storage) => {
    await storage.put('a/b', Buffer.from('x'));
    assert.equal(await storage.get('a'), null);
    assert.equal(await storage.head('a'), null);
    assert.equal(await storage.head('a/b/c'), null);
    await storage.delete('a');
    assert.deepEqual(await keysOf(storage, ''), ['a/b']);
  });

  check('ranges are exact', async (storage) => {
    const data = patterned(300_000);
    await storage.put('a/ranged', data);
    const ranges = [
      [0, 0],
      [0, 299_999],
      [1, 1],
      [65_535, 65_536],
      [131_071, 262_145],
      [299_999, 299_999],
      [299_990, 400_000],
    ] as const;
    for (const [start, end] of ranges) {
      assert.deepEqual(await read(storage, 'a/ranged', { start, end }), data.subarray(start, end + 1));
    }
  });

  check('a range past the end, or that is none, is refused', async (storage) => {
    await storage.put('a/three', Buffer.from('abc'));
    await storage.put('a/empty', Buffer.alloc(0));
    const code = 'range_not_satisfiable';
    await assert.rejects(storage.get('a/three', { start: 3, end: 5 }), { code });
    await assert.rejects(storage.get('a/empty', { start: 0, end: 0 }), { code });
    for (const [start, end] of [
      [2, 1],
      [-1, 2],
      [0.5, 2],
      [0, NaN],
      [0, Infinity],
    ] as const) {
      await assert.rejects(storage.get('a/three', { start, end }), TypeError);
    }
  });

  check('a stream that is open outlives the deletion of its key', async (storage) => {
    const data = patterned(2_000_000);
    await storage.put('a/doomed', data);
    const stream = await storage.get('a/doomed');
    assert.ok(stream);
    await storage.delete('a/doomed');
    assert.equal(await storage.get('a/doomed'), null);
    assert.ok(data.equals(await buffer(stream)));
  });

  check('keys that are not ours are refused everywhere', async (storage) => {
    for (const key of hostileKeys as string[]) {
      await assert.rejects(storage.put(key, Buffer.from('x')), `put ${key}`);
      await assert.rejects(storage.get(key), `get ${key}`);
      await assert.rejects(storage.head(key), `head ${key}`);
      await assert.rejects(storage.delete(key), `delete ${key}`);
      await assert.rejects(storage.localCopy(key), `localCopy ${key}`);
      assert.throws(() => storage.pathOnDisk(key), `pathOnDisk ${key}`);
      await assert.rejects(storage.create(key), `create ${key}`);
    }
    for (const prefix of ['/', '..', 'a//', '../', 'a/../', '.staging/', 'A', 7 as unknown as string]) {
      assert.throws(() => storage.list(prefix), `list ${prefix}`);
    }
    assert.deepEqual(await keysOf(storage, ''), []);
    assert.equal(await storage.sweep({ olderThanMs: 0 }), 0);
  });
}
