// From the address in a setting to a backend.

import { unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { copiedStorage } from './copied-storage.ts';
import { createFileStorage } from './file-storage.ts';
import { LocalCopies } from './local-copies.ts';
import type { Storage } from './storage.ts';

export type OpenStorageOptions = {
  /** Of all storages that are elsewhere; made when the first of them is opened. */
  readonly copies: () => LocalCopies;
  /** Sets the copies of this storage apart from those of others. */
  readonly name: string;
  /** Whether a key always shows the same bytes, so that a copy can stand for it. */
  readonly isImmutable: (key: string) => boolean;
};

/** For commands that only look: nothing stays here. */
const withoutCopies: OpenStorageOptions = {
  copies: () =>
    new LocalCopies({ folder: join(tmpdir(), `tintype-${process.pid}`), maxBytes: 0, graceMs: 0 }),
  name: 'storage',
  isImmutable: () => false,
};

/**
 * `file:data/files` is relative to the working directory; `file:/srv/files` and `file:///srv/files` are absolute.
 * `s3://bucket/prefix?endpoint=…` is storage elsewhere.
 */
export async function openStorage(address: string, options = withoutCopies): Promise<Storage> {
  if (address.startsWith('s3:')) return openS3Storage(address, options);
  if (!address.startsWith('file:')) {
    throw new Error(
      `A storage address looks like "file:<folder>" or "s3://<bucket>/<prefix>", not ${JSON.stringify(address)}`,
    );
  }
  const root = folderOf(address);
  try {
    return createFileStorage({ root });
  } catch (error) {
    throw new Error(`The storage folder ${root} cannot be used: ${String(error)}`, { cause: error });
  }
}

async function openS3Storage(
  text: string,
  { copies: open, name, isImmutable }: OpenStorageOptions,
): Promise<Storage> {
  const [{ parseS3Address }, { createS3Storage }, { isTransient, setUpError }] = await Promise.all([
    import('./s3/s3-address.ts'),
    import('./s3/s3-storage.ts'),
    import('./s3/s3-errors.ts'),
  ]);
  const address = parseS3Address(text);
  const copies = open();
  const remote = await createS3Storage(address, {
    stagingFolder: copies.stagingFolder,
    keepSpool: (key, path) => (isImmutable(key) ? copies.adopt(`${name}/${key}`, path) : unlink(path)),
  });
  try {
    await remote.check();
  } catch (error) {
    // A node that has copies can serve them until the storage is back.
    if (!isTransient(error) || (await copies.isEmpty())) throw setUpError(error, address);
  }
  return copiedStorage(remote, { copies, name, isImmutable });
}

function folderOf(address: string): string {
  const rest = address.slice('file:'.length);
  if (rest === '') throw new Error('The storage address "file:" names no folder');
  // Plain paths are taken as they are, so that a folder with a space or a percent sign needs no encoding.
  if (!rest.startsWith('//')) return resolve(rest);
  try {
    return fileURLToPath(address);
  } catch (error) {
    throw new Error(`The storage address ${JSON.stringify(address)} names no folder of this machine`, {
      cause: error,
    });
  }
}
