// Storage contract: memory does not grow with the file, and every descriptor comes back.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  patterned,
  watchBufferMemory,
  assertDescriptorsReturn,
  type Check,
} from './storage-contract-support.ts';

export function resourceContract(check: Check): void {
  check('20 MB go in and out with the memory of a few chunks', async (storage) => {
    const chunkBytes = 64 * 1024;
    const chunkCount = 320;
    const written = createHash('sha256');
    const memory = watchBufferMemory();
    const source = (async function* () {
      for (let index = 0; index < chunkCount; index += 1) {
        const chunk = Buffer.alloc(chunkBytes, index);
        written.update(chunk);
        if (index % 32 === 0) memory.look();
        yield chunk;
      }
    })();
    assert.deepEqual(await storage.put('a/large', source), { size: chunkBytes * chunkCount });
    const got = createHash('sha256');
    let seen = 0;
    for await (const chunk of (await storage.get('a/large'))!) {
      got.update(chunk);
      seen += 1;
      if (seen % 16 === 0) memory.look();
    }
    assert.equal(got.digest('hex'), written.digest('hex'));
    assert.ok(memory.growthBytes() < 4_000_000, `buffers grew by ${memory.growthBytes()} bytes`);
  });

  check('readers that stop early leave no descriptor open', async (storage) => {
    await storage.put('a/long', patterned(3_000_000));
    const stopEarly = async (): Promise<void> => {
      (await storage.get('a/long'))!.destroy();
      for await (const chunk of (await storage.get('a/long', { start: 5, end: 2_000_000 }))!) {
        assert.ok(chunk);
        break;
      }
      await assert.rejects(storage.get('a/long', { start: 3_000_000, end: 3_000_001 }));
      await storage.get('a');
    };
    await stopEarly();
    await assertDescriptorsReturn(async () => {
      await Promise.all(Array.from({ length: 30 }, stopEarly));
    });
  });

  check('writers leave no descriptor open, whether they commit, discard or fail', async (storage) => {
    await storage.put('a/first', Buffer.from('x'));
    await assertDescriptorsReturn(async () => {
      for (let round = 0; round < 20; round += 1) {
        const [kept, dropped, failing] = await Promise.all([
          storage.create(`a/${round}`),
          storage.create(`a/dropped-${round}`),
          storage.create('a/first'),
        ]);
        await Promise.all([kept, dropped, failing].map((file) => file.write(patterned(200_000))));
        await Promise.all([kept.commit(), dropped.discard(), assert.rejects(failing.commit())]);
      }
    });
  });
}
