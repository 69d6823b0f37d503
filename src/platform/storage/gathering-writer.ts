// Writes a new file from chunks as they come. Small chunks are gathered into one call, so memory stays bounded and a
// small file costs one write; the file is opened only then, so an upload refused early never touches the disk.

import { mkdir, open, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isAbsent } from './storage-error.ts';

const gatheredBytesLimit = 256 * 1024;
// A slow sender's chunks may be tiny, and each costs far more memory than its bytes.
const gatheredChunksLimit = 64;

export class GatheringWriter {
  readonly path: string;
  #handle: FileHandle | undefined;
  #gathered: Buffer[] = [];
  #gatheredBytes = 0;
  #writtenBytes = 0;

  constructor(path: string) {
    this.path = path;
  }

  get size(): number {
    return this.#writtenBytes + this.#gatheredBytes;
  }

  async write(chunk: Buffer): Promise<void> {
    if (chunk.length === 0) return;
    this.#gathered.push(chunk);
    this.#gatheredBytes += chunk.length;
    const full = this.#gatheredBytes >= gatheredBytesLimit || this.#gathered.length >= gatheredChunksLimit;
    if (full) await this.flush();
  }

  async flush(): Promise<FileHandle> {
    this.#handle ??= await openNew(this.path);
    while (this.#gatheredBytes > 0) {
      const { bytesWritten } = await this.#handle.writev(this.#gathered, this.#writtenBytes);
      this.#gathered = withoutFirstBytes(this.#gathered, bytesWritten);
      this.#gatheredBytes -= bytesWritten;
      this.#writtenBytes += bytesWritten;
    }
    return this.#handle;
  }

  async sync(): Promise<void> {
    const handle = await this.flush();
    await handle.sync();
  }

  /** Never rejects: what matters was reported by `sync`, and a file about to be removed has nothing to lose. */
  async close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    this.#gathered = [];
    await handle?.close().catch(() => undefined);
  }
}

async function openNew(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx', 0o600);
  } catch (error) {
    if (!isAbsent(error)) throw error;
    await mkdir(dirname(path), { mode: 0o700 }).catch(() => undefined);
    return open(path, 'wx', 0o600);
  }
}

/** A disk that is nearly full takes less than it was given before it reports an error. */
function withoutFirstBytes(chunks: Buffer[], count: number): Buffer[] {
  let remaining = count;
  const firstLeft = chunks.findIndex((chunk) => {
    if (remaining < chunk.length) return true;
    remaining -= chunk.length;
    return false;
  });
  if (firstLeft === -1) return [];
  return [chunks[firstLeft]!.subarray(remaining), ...chunks.slice(firstLeft + 1)];
}
