// Writes a new file from chunks as they come. Small chunks are gathered into one call, so memory stays bounded and a
// small file costs one write that is synced as it is made; the file is opened only then, so an upload refused early never
// touches the disk.

import { closeInBackground, closeSynced, syncDescriptor, writesCanSync, writeVector } from './descriptors.ts';

/** A descriptor of a file that was not there before; `synced` when each write is to be on the disk as it returns. */
export type OpenFile = (path: string, options: { synced: boolean }) => Promise<number>;

const gatheredBytesLimit = 256 * 1024;
// A slow sender's chunks may be tiny, and each costs far more memory than its bytes.
const gatheredChunksLimit = 64;

export class GatheringWriter {
  readonly path: string;
  readonly #open: OpenFile;
  #descriptor: number | undefined;
  #gathered: Buffer[] = [];
  #gatheredBytes = 0;
  #writtenBytes = 0;
  #syncsItself = false;
  /** Nothing is left to write. */
  #isSynced = false;

  constructor(path: string, open: OpenFile) {
    this.path = path;
    this.#open = open;
  }

  get size(): number {
    return this.#writtenBytes + this.#gatheredBytes;
  }

  get isOpened(): boolean {
    return this.#descriptor !== undefined;
  }

  async write(chunk: Buffer): Promise<void> {
    if (chunk.length === 0) return;
    this.#gathered.push(chunk);
    this.#gatheredBytes += chunk.length;
    const full = this.#gatheredBytes >= gatheredBytesLimit || this.#gathered.length >= gatheredChunksLimit;
    if (full) await this.flush();
  }

  /** Unless it is open already: all of it is here, so that one write is the last. */
  async openWhole(): Promise<void> {
    if (this.#descriptor !== undefined) return;
    this.#descriptor = await this.#open(this.path, { synced: writesCanSync });
    this.#syncsItself = writesCanSync;
  }

  async flush(): Promise<number> {
    this.#descriptor ??= await this.#open(this.path, { synced: false });
    while (this.#gatheredBytes > 0) {
      const { bytesWritten } = await writeVector(this.#descriptor, this.#gathered, this.#writtenBytes);
      this.#gathered = withoutFirstBytes(this.#gathered, bytesWritten);
      this.#gatheredBytes -= bytesWritten;
      this.#writtenBytes += bytesWritten;
    }
    return this.#descriptor;
  }

  async sync(): Promise<void> {
    await this.openWhole();
    const descriptor = await this.flush();
    // An empty file was never written to.
    if (!this.#syncsItself || this.size === 0) await syncDescriptor(descriptor);
    this.#isSynced = true;
  }

  close(): void {
    if (this.#descriptor !== undefined) (this.#isSynced ? closeSynced : closeInBackground)(this.#descriptor);
    this.#descriptor = undefined;
    this.#gathered = [];
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
