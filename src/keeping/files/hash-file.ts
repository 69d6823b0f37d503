// What a stored file really is: its size and hash, read from its first byte to its last.
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Storage } from '../../platform/storage/storage.ts';
import type { BytePace } from './byte-pace.ts';

export type FileHash = { readonly sizeBytes: number; readonly sha256: string };

/** Null when there is no such key. */
export async function hashStored(storage: Storage, key: string, pace?: BytePace): Promise<FileHash | null> {
  const stream = await storage.get(key);
  return stream && hashOf(stream, pace);
}

export async function hashOf(stream: Readable, pace?: BytePace): Promise<FileHash> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    hash.update(chunk);
    sizeBytes += chunk.length;
    await pace?.(chunk.length);
  }
  return { sizeBytes, sha256: hash.digest('hex') };
}
