// The file backend against the contract of all backends.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStorage } from '../../src/platform/storage/open-storage.ts';
import { storageContract } from './storage-contract.ts';

storageContract('file', async () => {
  const root = await mkdtemp(join(tmpdir(), 'tintype-storage-'));
  return {
    storage: await openStorage(`file:${root}`),
    cleanup: () => rm(root, { recursive: true }),
  };
});
