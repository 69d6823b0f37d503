// Both storage backends as folders below one folder, and what lies in them.
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Stores } from '../../src/objects/stores.ts';
import { createFileStorage } from '../../src/platform/storage/file-storage.ts';
import type { Storage } from '../../src/platform/storage/storage.ts';

export function openTempStores(folder: string): Stores {
  return {
    files: createFileStorage({ root: join(folder, 'files') }),
    storage: createFileStorage({ root: join(folder, 'storage') }),
  };
}

export async function keysIn(storage: Storage): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of storage.list('')) keys.push(key);
  return keys;
}

/** Null when there is no such key. */
export async function readJson(storage: Storage, key: string): Promise<any> {
  const stream = await storage.get(key);
  return stream ? (JSON.parse(await text(stream)) as unknown) : null;
}
