// Storage contract: bytes on their way to a key.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { keysOf, read, patterned, chunksOf, type Check } from './storage-contract-support.ts';

export function stagingContract(check: Check): void {
  check('staged bytes show at no key until they are committed', async (storage) => {
    const data = patterned(700_000);
    const staged = await storage.stage();
    for (const chunk of chunksOf(data, 10_000)) await staged.write(chunk);
    assert.equal(staged.size, data.length);
    assert.equal(await storage.head('a/staged'), null);
    assert.deepEqual(await keysOf(storage, ''), []);
    await staged.commit('a/staged');
    assert.deepEqual(await read(storage, 'a/staged'), data);
    assert.equal(staged.size, data.length);
  });

  check('a child could open all that was staged so far', async (storage) => {
    const staged = await storage.stage();
    for (const part of ['first ', 'second']) {
      await staged.write(Buffer.from(part));
      const path = await staged.localPath();
      if (path !== null) assert.ok((await readFile(path, 'utf8')).endsWith(part));
    }
    await staged.commit('a/both');
    assert.equal(String(await read(storage, 'a/both')), 'first second');
  });

  check('chunks of every size keep their order, also when not waited for', async (storage) => {
    const data = patterned(1_200_000);
    const staged = await storage.stage();
    const calls: Promise<void>[] = [];
    for (let offset = 0, size = 0; offset < data.length; offset += size, size = (size * 7 + 1) % 90_001) {
      calls.push(staged.write(data.subarray(offset, offset + size)));
    }
    await Promise.all([...calls, staged.commit('a/ordered')]);
    assert.ok(data.equals(await read(storage, 'a/ordered')));
  });

  check('discarding removes, as often as it is called, and ends the file', async (storage) => {
    const staged = await storage.stage();
    await staged.write(patterned(500_000));
    await Promise.all([staged.write(patterned(500_000)), staged.discard(), staged.discard()]);
    await staged.discard();
    await assert.rejects(staged.commit('a/discarded'));
    await assert.rejects(staged.write(Buffer.from('x')));
    assert.deepEqual(await keysOf(storage, ''), []);
    assert.equal(await storage.sweep({ olderThanMs: 0 }), 0);
  });

  check('discarding after a commit changes nothing; committing twice is refused', async (storage) => {
    const staged = await storage.stage();
    await staged.write(Buffer.from('x'));
    await staged.commit('a/once');
    await staged.discard();
    await assert.rejects(staged.commit('a/twice'));
    assert.deepEqual(await keysOf(storage, ''), ['a/once']);
  });

  check('a sweep spares what is in use', async (storage) => {
    const staged = await storage.stage();
    await staged.write(patterned(500_000));
    await staged.localPath();
    assert.equal(await storage.sweep({ olderThanMs: -60_000 }), 0);
    await staged.commit('a/spared');
    assert.equal((await storage.head('a/spared'))?.size, 500_000);
  });
}
