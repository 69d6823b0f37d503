// Storage contract: writes are whole or not there at all, and deletes can be repeated.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { keysOf, read, patterned, type Check } from './storage-contract-support.ts';

export function writingContract(check: Check): void {
  check('what was put is got, with its size and time', async (storage) => {
    const before = Date.now();
    const data = patterned(100_000);
    assert.deepEqual(await storage.put('b1/00/x.json', data), { size: data.length });
    assert.deepEqual(await read(storage, 'b1/00/x.json'), data);
    const facts = await storage.head('b1/00/x.json');
    assert.equal(facts?.size, data.length);
    assert.ok(Number.isInteger(facts.modifiedAt) && Math.abs(facts.modifiedAt - before) < 60_000);
  });

  check('an empty file is a file', async (storage) => {
    assert.deepEqual(await storage.put('a/empty', Buffer.alloc(0)), { size: 0 });
    await (await storage.create('a/new-empty')).commit();
    for (const key of ['a/empty', 'a/new-empty']) {
      assert.equal((await storage.head(key))?.size, 0);
      assert.equal((await read(storage, key)).length, 0);
    }
  });

  check('a folder goes with all that is in it, and nothing beside it', async (storage) => {
    const inside = ['a/x.film/poster', 'a/x.film/1/seg', 'a/x.film/1/deep/seg'];
    const beside = ['a/x', 'a/x.film2/seg', 'a/x.json', 'a/y.film/seg'];
    for (const key of [...inside, ...beside]) await storage.put(key, Buffer.from(key));
    await storage.deleteFolder('a/x.film/');
    assert.deepEqual(await keysOf(storage, 'a/'), beside.toSorted());
    await storage.deleteFolder('a/x.film/');
    await storage.deleteFolder('nothing/here/');
    // And can be filled again.
    await storage.put('a/x.film/1/seg', Buffer.from('new'));
    assert.equal(String(await read(storage, 'a/x.film/1/seg')), 'new');
    await assert.rejects(storage.deleteFolder('a/x'), TypeError);
    await assert.rejects(storage.deleteFolder('../'), TypeError);
    await assert.rejects(storage.deleteFolder(''), TypeError);
  });

  check('a local copy opens the same bytes until it is released', async (storage) => {
    await storage.put('a/local', Buffer.from('here'));
    const [first, second] = await Promise.all([storage.localCopy('a/local'), storage.localCopy('a/local')]);
    assert.ok(first && second);
    first.release();
    first.release();
    assert.equal(await readFile(second.path, 'utf8'), 'here');
    second.release();
    const path = storage.pathOnDisk('a/local');
    if (path !== null) assert.equal(await readFile(path, 'utf8'), 'here');
  });

  check('what is replaced or deleted is never shown from an old copy', async (storage) => {
    for (const text of ['first', 'second', 'third']) {
      await storage.put('a/changed', Buffer.from(text));
      assert.equal(String(await read(storage, 'a/changed')), text);
      using copy = await storage.localCopy('a/changed');
      assert.equal(await readFile(copy!.path, 'utf8'), text);
    }
    await storage.delete('a/changed');
    assert.equal(await storage.get('a/changed'), null);
  });

  check('a source that fails leaves the old bytes and its own error', async (storage) => {
    await storage.put('a/kept', Buffer.from('old'));
    const failing = (async function* () {
      yield patterned(400_000);
      throw new RangeError('source failed');
    })();
    await assert.rejects(storage.put('a/kept', failing), { name: 'RangeError', message: 'source failed' });
    assert.equal(String(await read(storage, 'a/kept')), 'old');
    assert.equal(await storage.sweep({ olderThanMs: 0 }), 0);
  });

  check('readers see the old bytes or the new, never a mixture or a part', async (storage) => {
    const versions = Array.from({ length: 8 }, (_, index) =>
      Buffer.alloc(200_000 + index * 50_000, 97 + index),
    );
    await storage.put('a/replaced', versions[0]!);
    let writing = true;
    const readers = Array.from({ length: 3 }, async () => {
      let reads = 0;
      for (; writing || reads === 0; reads += 1) {
        const seen = await read(storage, 'a/replaced');
        assert.ok(
          versions.some((version) => version.equals(seen)),
          `a reader saw ${seen.length} bytes`,
        );
      }
      return reads;
    });
    for (let round = 0; round < 40; round += 1) await storage.put('a/replaced', versions[round % 8]!);
    writing = false;
    for (const reads of await Promise.all(readers)) assert.ok(reads > 0);
  });

  check('many commits into one folder at once all arrive', async (storage) => {
    const keys = Array.from({ length: 100 }, (_, index) => `b/shared/${String(index).padStart(3, '0')}`);
    await Promise.all(keys.map((key) => storage.put(key, Buffer.from(key))));
    assert.deepEqual(await keysOf(storage, 'b/shared/'), keys);
    for (const key of keys) assert.equal(String(await read(storage, key)), key);
    await Promise.all(keys.map((key) => storage.delete(key)));
    assert.deepEqual(await keysOf(storage, ''), []);
    await storage.put(keys[0]!, Buffer.from('again'));
  });

  check('deleting twice, also at once, is no error', async (storage) => {
    await storage.put('a/b', Buffer.from('x'));
    await Promise.all([storage.delete('a/b'), storage.delete('a/b')]);
    await storage.delete('a/b');
    assert.equal(await storage.head('a/b'), null);
  });

  check('a probe writes and leaves nothing', async (storage) => {
    await storage.probe();
    assert.deepEqual(await keysOf(storage, ''), []);
    assert.equal(await storage.sweep({ olderThanMs: 0 }), 0);
  });
}
