// A storage elsewhere with copies on this machine in front of it. Only what never changes is answered from a copy; while the
// storage is away, that goes on. What is fetched whole is read while it comes, by all who ask for it.

import type { Readable } from 'node:stream';
import { type CopyFetchOptions, CopyFetches } from './copy-fetches.ts';
import { assertByteRange, readFileRange } from './read-file-range.ts';
import type { RemoteStorage } from './remote-storage.ts';
import { assertStorageKey } from './storage-key.ts';
import type { ByteRange, Storage } from './storage.ts';

export type CopiedStorageOptions = CopyFetchOptions & {
  readonly isImmutable: (key: string) => boolean;
};

export function copiedStorage(remote: RemoteStorage, options: CopiedStorageOptions): Storage {
  const { copies, name, isImmutable } = options;
  const copyKey = (key: string): string => `${name}/${key}`;
  const fetches = new CopyFetches(remote, options);

  async function get(key: string, range?: ByteRange): Promise<Readable | null> {
    assertStorageKey(key);
    if (range) assertByteRange(range);
    if (!isImmutable(key)) return (await remote.open(key, range))?.stream ?? null;
    const path = await copies.find(copyKey(key));
    const copied = path === null ? null : await readFileRange(path, range);
    if (copied) return copied;
    return range ? fetches.readPart(key, range) : fetches.readWhole(key);
  }

  /** Keys are used once; should one change all the same, nobody here sees its old bytes afterwards. */
  async function changing<Value>(key: string, change: () => Promise<Value>, adopted = false): Promise<Value> {
    assertStorageKey(key);
    if (!isImmutable(key)) return change();
    await fetches.forget(key);
    try {
      return await change();
    } finally {
      if (adopted) fetches.stop(key);
      else await fetches.forget(key);
    }
  }

  return {
    create: (key) => remote.create(key),
    // What comes as a stream becomes a copy itself.
    put: (key, data) => changing(key, () => remote.put(key, data), !Buffer.isBuffer(data)),
    get,
    head: (key) => remote.head(key),
    delete: (key) => changing(key, () => remote.delete(key)),
    deleteFolder: async (prefix) => {
      await remote.deleteFolder(prefix);
      await copies.forgetFolder(copyKey(prefix));
    },
    list: (prefix, options) => remote.list(prefix, options),
    localCopy: async (key) => {
      assertStorageKey(key);
      return isImmutable(key) ? fetches.take(key) : fetches.fetchAside(key);
    },
    pathOnDisk: (key) => {
      assertStorageKey(key);
      return null;
    },
    sweep: async (age) => (await copies.sweep(age.olderThanMs)) + (await remote.sweep(age)),
    probe: () => remote.probe(),
  };
}
