// S3-compatible storage against the contract of all backends: a server in a process of its own, or one that the environment
// names in TEST_S3_STORE.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { LocalCopies } from '../../src/platform/storage/local-copies.ts';
import { openStorage } from '../../src/platform/storage/open-storage.ts';
import { namedS3Store, startS3Server } from '../support/s3-server.ts';
import { type OpenedStorage, storageContract } from './storage-contract.ts';

async function open(address: string, isImmutable: boolean): Promise<OpenedStorage> {
  const folder = await mkdtemp(join(tmpdir(), 'tintype-copies-'));
  const copies = new LocalCopies({ folder, maxBytes: 100_000_000 });
  const storage = await openStorage(address, {
    copies: () => copies,
    name: 'files',
    isImmutable: () => isImmutable,
  });
  return {
    storage,
    cleanup: async () => {
      for await (const { key } of storage.list('')) await storage.delete(key);
      await rm(folder, { recursive: true });
    },
  };
}

const newStore = async (): Promise<string> => (await startS3Server()).newStore();
const name = namedS3Store === undefined ? 'S3' : 'S3 of TEST_S3_STORE';

storageContract(name, async () => open(await newStore(), false));
storageContract(`${name}, with copies`, async () => open(await newStore(), true));
test('storage contract: S3 of TEST_S3_STORE', {
  skip: namedS3Store === undefined && 'NOT PROVEN HERE: TEST_S3_STORE names no server of yours',
});
