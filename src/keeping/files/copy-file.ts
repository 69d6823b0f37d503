// Copies one stored file and proves it: what was read is hashed on its way, and read back from where it went.
import { createHash } from 'node:crypto';
import { AppError } from '../../platform/errors.ts';
import type { Storage } from '../../platform/storage/storage.ts';
import type { BytePace } from './byte-pace.ts';
import { type FileHash, hashStored } from './hash-file.ts';

const attempts = 3;

export type CopyPlace = { readonly storage: Storage; readonly key: string };

/** Null when the source is gone. Throws when what was written is not what was read, also when tried again. */
export async function copyFile(from: CopyPlace, to: CopyPlace, pace?: BytePace): Promise<FileHash | null> {
  for (let attempt = 1; ; attempt += 1) {
    const read = await copyOnce(from, to, pace);
    if (read === null) return null;
    const written = await hashStored(to.storage, to.key);
    if (written?.sha256 === read.sha256) return read;
    await to.storage.delete(to.key);
    if (attempt === attempts)
      throw new AppError('internal', `${to.key} could not be written as it was read; is the target sound?`);
  }
}

async function copyOnce(from: CopyPlace, to: CopyPlace, pace?: BytePace): Promise<FileHash | null> {
  const stream = await from.storage.get(from.key);
  if (!stream) return null;
  const hash = createHash('sha256');
  const source = (async function* () {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      hash.update(chunk);
      await pace?.(chunk.length);
      yield chunk;
    }
  })();
  try {
    const { size: sizeBytes } = await to.storage.put(to.key, source);
    return { sizeBytes, sha256: hash.digest('hex') };
  } finally {
    stream.destroy();
  }
}

/** Whether both hold the same; only for small files, which may change without growing. */
export async function isSameFile(one: CopyPlace, other: CopyPlace): Promise<boolean> {
  const [left, right] = await Promise.all([
    hashStored(one.storage, one.key),
    hashStored(other.storage, other.key),
  ]);
  return left !== null && left.sha256 === right?.sha256;
}
