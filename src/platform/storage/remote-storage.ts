// What a storage elsewhere offers: all but files on this machine, which copies in front of it provide.

import type { Readable } from 'node:stream';
import type { ByteRange, Storage } from './storage.ts';

export type RemoteStorage = Omit<Storage, 'get' | 'localCopy' | 'pathOnDisk'> & {
  /** As `get`, with the size of the whole object. */
  open(key: string, range?: ByteRange): Promise<OpenedObject | null>;
};

export type OpenedObject = { readonly stream: Readable; readonly sizeBytes: number };

/** Is given the spool file of bytes that were just stored, durable or not; it is gone afterwards. */
export type KeepSpool = (key: string, path: string) => Promise<void>;
