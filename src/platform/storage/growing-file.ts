// A file that is being fetched, readable from its first byte on by as many as like. Its last byte is shown only when all of
// it was proven right, so that nobody takes a broken one for whole.

import { open, type FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { AppError } from '../errors.ts';
import { storageError } from './storage-error.ts';

const readBytesAtOnce = 128 * 1024;
const maxAttempts = 3;

export type Source = {
  readonly sizeBytes: number;
  /** Ends well only when every byte came and is right. */
  readonly stream: Readable;
  /** Another, for when that one broke off. */
  readonly again: () => Promise<Readable>;
};

export class GrowingFile {
  readonly path: string;
  readonly sizeBytes: number;
  /** Resolves when all of it is there, proven and on the disk. */
  readonly done: Promise<void>;
  readonly #handle: FileHandle;
  /** The one that writes, and those that read. */
  #users = 1;
  #written = 0;
  #proven = false;
  #failure: unknown;
  #changed = Promise.withResolvers<void>();

  private constructor(path: string, handle: FileHandle, source: Source) {
    this.path = path;
    this.#handle = handle;
    this.sizeBytes = source.sizeBytes;
    this.done = this.#fill(source);
    this.done.catch(() => undefined);
  }

  static async begin(path: string, source: Source): Promise<GrowingFile> {
    try {
      return new GrowingFile(path, await open(path, 'wx+', 0o600), source);
    } catch (error) {
      source.stream.destroy();
      throw storageError(error);
    }
  }

  /** Null when it has ended and nobody reads it any more. What is open keeps working, wherever the file goes. */
  read(): Readable | null {
    if (this.#users === 0) return null;
    this.#users += 1;
    const stream = Readable.from(this.#chunks(), { objectMode: false, highWaterMark: readBytesAtOnce });
    return stream.once('close', () => void this.#release());
  }

  async *#chunks(): AsyncGenerator<Buffer> {
    for (let position = 0; position < this.sizeBytes;) {
      const length = (await this.#readableFrom(position)) - position;
      const chunk = Buffer.allocUnsafeSlow(Math.min(length, readBytesAtOnce));
      const { bytesRead } = await this.#handle.read(chunk, 0, chunk.length, position);
      if (bytesRead === 0) throw new Error('A copy is shorter than what was written to it');
      position += bytesRead;
      yield chunk.subarray(0, bytesRead);
    }
  }

  async #release(): Promise<void> {
    this.#users -= 1;
    if (this.#users === 0) await this.#handle.close();
  }

  /** Up to where it may be read, once that is past the position. */
  async #readableFrom(position: number): Promise<number> {
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure;
      const readable = this.#proven ? this.sizeBytes : Math.min(this.#written, this.sizeBytes - 1);
      if (readable > position) return readable;
      await this.#changed.promise;
    }
  }

  async #fill({ stream: first, again }: Source): Promise<void> {
    try {
      for (let attempt = 1, source = first; ; attempt += 1, source = await again()) {
        try {
          await this.#copy(source);
          break;
        } catch (error) {
          if (attempt === maxAttempts || !isBrokenOff(error)) throw error;
        }
      }
      await this.#handle.sync();
      this.#proven = true;
    } catch (error) {
      this.#failure = error;
      throw error;
    } finally {
      this.#tell();
      await this.#release();
    }
  }

  /** What an earlier attempt has written is passed over. */
  async #copy(source: Readable): Promise<void> {
    let position = 0;
    for await (const chunk of source as AsyncIterable<Buffer>) {
      const rest = chunk.subarray(Math.max(0, this.#written - position));
      position += chunk.length;
      if (rest.length === 0) continue;
      await writeAll(this.#handle, rest, this.#written);
      this.#written += rest.length;
      this.#tell();
    }
    if (this.#written !== this.sizeBytes) throw new Error('The source changed while it was fetched');
  }

  #tell(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
  }
}

/** The disk here would not take it. */
export class DiskFault extends Error {}

async function writeAll(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await handle
      .write(bytes, done, bytes.length - done, position + done)
      .catch((error: unknown) => {
        throw new DiskFault('A copy could not be written', { cause: error });
      });
    done += bytesWritten;
  }
}

/** Of the source, which may do better; neither of our disk nor of a storage that is away. */
function isBrokenOff(error: unknown): boolean {
  return !(error instanceof DiskFault) && !(error instanceof AppError);
}
