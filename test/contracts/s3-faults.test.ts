// S3-compatible storage over a way that fails: what is told, how soon, what is left behind, and that it heals by itself.

import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { buffer } from 'node:stream/consumers';
import { LocalCopies } from '../../src/platform/storage/local-copies.ts';
import { openStorage } from '../../src/platform/storage/open-storage.ts';
import type { Storage } from '../../src/platform/storage/storage.ts';
import { eventually } from '../support/eventually.ts';
import { FaultyProxy } from '../support/faulty-proxy.ts';
import { startS3Server } from '../support/s3-server.ts';
import { patterned, read } from './storage-contract-support.ts';

const away = { code: 'storage_unavailable', status: 503 };
const partBytes = 8 * 1024 * 1024;

describe('S3 over a way that fails', () => {
  let proxy: FaultyProxy;
  let folder: string;
  let storage: Storage;

  before(async () => {
    const server = await startS3Server();
    proxy = await FaultyProxy.before(server.endpoint);
    folder = await mkdtemp(join(tmpdir(), 'tintype-copies-'));
    const copies = new LocalCopies({ folder, maxBytes: 200_000_000 });
    storage = await openStorage(server.newStore('first-bucket', proxy.endpoint), {
      copies: () => copies,
      name: 'files',
      isImmutable: (key) => !key.startsWith('plain/'),
    });
  });
  // Found away, it is left in peace for a moment.
  beforeEach(async () => {
    await proxy.set({ kind: 'none' });
    await eventually(() => storage.probe());
  });
  after(async () => {
    await proxy.stop();
    await rm(folder, { recursive: true });
  });

  const staged = (): Promise<string[]> => readdir(join(folder, '.staging')).catch(() => []);
  const within = async (ms: number, work: Promise<unknown>): Promise<void> => {
    const begun = performance.now();
    await work;
    const took = performance.now() - begun;
    assert.ok(took < ms, `took ${Math.round(took)} ms`);
  };

  for (const kind of ['refuse', 'freeze'] as const) {
    test(`${kind}: every call fails clearly within 2 s`, async () => {
      await storage.put('plain/there', Buffer.from('x'));
      const calls: Record<string, () => Promise<unknown>> = {
        put: () => storage.put('plain/new', Buffer.from('x')),
        get: () => storage.get('plain/there'),
        'get a part': () => storage.get('a/there', { start: 0, end: 1 }),
        head: () => storage.head('plain/there'),
        delete: () => storage.delete('plain/there'),
        deleteFolder: () => storage.deleteFolder('plain/'),
        list: () => Array.fromAsync(storage.list('')),
        localCopy: () => storage.localCopy('a/there'),
        probe: () => storage.probe(),
        create: async () => {
          const file = await storage.create('a/new');
          await file.write(patterned(100_000));
          await file.commit();
        },
      };
      await proxy.set({ kind });
      for (const [name, call] of Object.entries(calls))
        await within(2000, assert.rejects(call(), away, name));
      assert.deepEqual(await staged(), []);
      await proxy.set({ kind: 'none' });
      await eventually(async () => assert.ok(await storage.head('plain/there')));
    });
  }

  test('freeze in the middle of an upload in parts: it fails, nothing is left here, and the next one works', async () => {
    const file = await storage.create('a/parts');
    await file.write(patterned(partBytes + 1));
    await proxy.set({ kind: 'freeze' });
    await file.write(patterned(partBytes));
    await assert.rejects(file.commit(), away);
    assert.deepEqual(await staged(), []);
    await proxy.set({ kind: 'none' });
    const data = patterned(2 * partBytes + 5);
    await eventually(() => storage.probe());
    const next = await storage.create('a/next');
    for (let offset = 0; offset < data.length; offset += 1_000_000)
      await next.write(data.subarray(offset, offset + 1_000_000));
    await next.commit();
    await rm(join(folder, 'files'), { recursive: true, force: true });
    assert.ok(data.equals(await read(storage, 'a/next')));
  });

  test('a connection that breaks under a part is made up for by another', async () => {
    const data = patterned(3 * partBytes);
    const file = await storage.create('a/mended');
    await file.write(data.subarray(0, 2 * partBytes));
    // Closes all that is open, once.
    await proxy.set({ kind: 'none' });
    await file.write(data.subarray(2 * partBytes));
    await file.commit();
    await rm(join(folder, 'files'), { recursive: true, force: true });
    assert.ok(data.equals(await read(storage, 'a/mended')));
  });

  test('a body that is cut short is an error, and never a copy', async () => {
    const data = patterned(500_000);
    await storage.put('a/cut', data);
    await storage.put('plain/cut', data);
    await proxy.set({ kind: 'cut', afterBytes: 100_000 });
    for (const key of ['a/cut', 'plain/cut']) {
      const stream = await storage.get(key);
      assert.ok(stream);
      await assert.rejects(buffer(stream), key);
    }
    await assert.rejects(storage.localCopy('a/cut'), away);
    assert.deepEqual(await staged(), []);
    await proxy.set({ kind: 'none' });
    assert.ok(data.equals(await read(storage, 'a/cut')));
    using copy = await storage.localCopy('a/cut');
    assert.ok(copy);
  });

  test('what has a copy is read while the storage is away, and readers who leave close their connections', async () => {
    const data = patterned(300_000);
    await storage.put('a/copied', data);
    using copy = await storage.localCopy('a/copied');
    assert.ok(copy);
    await proxy.set({ kind: 'refuse' });
    assert.ok(data.equals(await read(storage, 'a/copied')));
    assert.ok(data.subarray(5, 10).equals(await read(storage, 'a/copied', { start: 5, end: 9 })));
    await proxy.set({ kind: 'none' });
    await storage.put('plain/long', patterned(30_000_000));
    const open = proxy.connections;
    for (let round = 0; round < 20; round += 1) (await storage.get('plain/long'))?.destroy();
    await eventually(() => assert.ok(proxy.connections <= open + 1, `${proxy.connections} are open`));
  });

  test('many who ask for the same file at once are one download', async () => {
    const data = patterned(1_000_000);
    await storage.put('a/popular', data);
    await proxy.set({ kind: 'slow', delayMs: 20 });
    const all = await Promise.all(Array.from({ length: 30 }, () => read(storage, 'a/popular')));
    assert.ok(all.every((bytes) => data.equals(bytes)));
    assert.ok(proxy.connections <= 4, `${proxy.connections} connections`);
  });
});
