// From the address in a setting to a backend.

import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createFileStorage } from './file-storage.ts';
import type { Storage } from './storage.ts';

/** `file:data/files` is relative to the working directory; `file:/srv/files` and `file:///srv/files` are absolute. */
export async function openStorage(address: string): Promise<Storage> {
  if (address.startsWith('s3:')) throw new Error('s3:// storage is not available in this version');
  if (!address.startsWith('file:')) {
    throw new Error(`A storage address looks like "file:<folder>", not ${JSON.stringify(address)}`);
  }
  const root = folderOf(address);
  try {
    return createFileStorage({ root });
  } catch (error) {
    throw new Error(`The storage folder ${root} cannot be used: ${String(error)}`, { cause: error });
  }
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
