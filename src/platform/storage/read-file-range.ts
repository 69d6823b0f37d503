// Opens a stored file, or a part of it, as a stream that owns its descriptor.

import { open, type FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { AppError } from '../errors.ts';
import { absentOr, storageError } from './storage-error.ts';
import type { ByteRange } from './storage.ts';

const readBytesAtOnce = 128 * 1024;

export async function readFileRange(path: string, range: ByteRange | undefined): Promise<Readable | null> {
  if (range) assertByteRange(range);
  const handle = await open(path, 'r').catch(absentOr(null));
  if (!handle) return null;
  try {
    const stream = await streamOf(handle, range);
    if (!stream) await handle.close();
    return stream;
  } catch (error) {
    await handle.close().catch(() => undefined);
    throw storageError(error);
  }
}

async function streamOf(handle: FileHandle, range: ByteRange | undefined): Promise<Readable | null> {
  const facts = await handle.stat();
  if (!facts.isFile()) return null;
  if (!range) return handle.createReadStream({ highWaterMark: readBytesAtOnce });
  if (range.start >= facts.size) throw new AppError('range_not_satisfiable');
  return handle.createReadStream({ ...range, highWaterMark: readBytesAtOnce });
}

export function assertByteRange({ start, end }: ByteRange): void {
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || end < start) {
    throw new TypeError(`Not a byte range: ${start}-${end}`);
  }
}
