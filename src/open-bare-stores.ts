// Both stores without the copies this machine keeps of them: for commands that must see what is really there, or that read
// and write all of it and would fill the disk with copies nobody asks for.
import { join } from 'node:path';
import type { Config } from './config.ts';
import type { Stores } from './objects/stores.ts';
import { LocalCopies } from './platform/storage/local-copies.ts';
import { openStorage } from './platform/storage/open-storage.ts';
import type { Storage } from './platform/storage/storage.ts';

export async function openBareStores({ dataDir, filesStore, storageStore }: Config): Promise<Stores> {
  // Only what is on its way to a store waits there.
  const copies = new LocalCopies({ folder: join(dataDir, 'copies'), maxBytes: Infinity });
  const open = (address: string, name: keyof Stores): Promise<Storage> =>
    openStorage(address, { copies: () => copies, name, isImmutable: () => false });
  const [files, storage] = await Promise.all([open(filesStore, 'files'), open(storageStore, 'storage')]);
  return { files, storage };
}
