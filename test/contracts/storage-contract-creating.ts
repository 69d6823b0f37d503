// Storage contract: new files on their way to a key that nobody knows of yet.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { keysOf, read, patterned, chunksOf, type Check } from './storage-contract-support.ts';

export function creatingContract(check: Check): void {
  check('a new file is whole at its key when it is committed', async (storage) => {
    const data = patterned(700_000);
    const file = await storage.create('a/new');
    for (const chunk of chunksOf(data, 10_000)) await file.write(chunk);
    assert.equal(file.size, data.length);
    await file.commit();
    assert.deepEqual(await read(storage, 'a/new'), data);
    assert.equal(file.size, data.length);
  });

  check('a child could open all that was written so far', async (storage) => {
    const file = await storage.create('a/both');
    for (const part of ['first ', 'second']) {
      await file.write(Buffer.from(part));
      const path = await file.localPath();
      assert.ok((await readFile(path, 'utf8')).endsWith(part));
    }
    await file.commit();
    assert.equal(String(await read(storage, 'a/both')), 'first second');
  });

  check('chunks of every size keep their order, also when not waited for', async (storage) => {
    const data = patterned(1_200_000);
    const file = await storage.create('a/ordered');
    const calls: Promise<void>[] = [];
    for (let offset = 0, size = 0; offset < data.length; offset += size, size = (size * 7 + 1) % 90_001) {
      calls.push(file.write(data.subarray(offset, offset + size)));
    }
    await Promise.all([...calls, file.commit()]);
    assert.ok(data.equals(await read(storage, 'a/ordered')));
  });

  check('discarding removes, as often as it is called, and ends the file', async (storage) => {
    const file = await storage.create('a/discarded');
    await file.write(patterned(500_000));
    await Promise.all([file.write(patterned(500_000)), file.discard(), file.discard()]);
    await file.discard();
    await assert.rejects(file.commit());
    await assert.rejects(file.write(Buffer.from('x')));
    assert.deepEqual(await keysOf(storage, ''), []);
  });

  check('discarding after a commit changes nothing; committing twice is refused', async (storage) => {
    const file = await storage.create('a/once');
    await file.write(Buffer.from('x'));
    await file.commit();
    await file.discard();
    await assert.rejects(file.commit());
    assert.deepEqual(await keysOf(storage, ''), ['a/once']);
  });

  check('a key that is in use is not written over', async (storage) => {
    await storage.put('a/taken', Buffer.from('mine'));
    const file = await storage.create('a/taken');
    await file.write(Buffer.from('yours'));
    await assert.rejects(file.commit());
    assert.equal(String(await read(storage, 'a/taken')), 'mine');
  });
}
