// What every storage backend must do, whatever lies behind it: run by each backend with its own way to open one.

import { describe, test } from 'node:test';
import type { Storage } from '../../src/platform/storage/storage.ts';
import { listingContract } from './storage-contract-listing.ts';
import { readingContract } from './storage-contract-reading.ts';
import { resourceContract } from './storage-contract-resources.ts';
import { creatingContract } from './storage-contract-creating.ts';
import type { Check } from './storage-contract-support.ts';
import { writingContract } from './storage-contract-writing.ts';

export interface OpenedStorage {
  storage: Storage;
  cleanup(this: void): Promise<void>;
}

export function storageContract(name: string, open: () => Promise<OpenedStorage>): void {
  const check: Check = (title, body) => {
    test(title, async () => {
      const { storage, cleanup } = await open();
      try {
        await body(storage);
      } finally {
        await cleanup();
      }
    });
  };

  describe(`storage contract: ${name}`, () => {
    readingContract(check);
    writingContract(check);
    creatingContract(check);
    listingContract(check);
    resourceContract(check);
  });
}
