// Fetches files from a storage elsewhere and makes them copies here: one download however many ask, read while it comes.

import { unlink } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { SingleFlight } from '../../lib/single-flight.ts';
import { AppError, retryAfter } from '../errors.ts';
import { DiskFault, GrowingFile } from './growing-file.ts';
import type { LocalCopies } from './local-copies.ts';
import type { OpenedObject, RemoteStorage } from './remote-storage.ts';
import { releaseStagingPath } from './staging-files.ts';
import { storageError } from './storage-error.ts';
import type { ByteRange, LocalCopy } from './storage.ts';

const defaultMaxCopiedBytes = 64 * 1024 * 1024;

export type CopyFetchOptions = {
  readonly copies: LocalCopies;
  /** Sets the keys of this storage apart from those of others that share the copies. */
  readonly name: string;
  /** What is larger is not copied only because somebody reads it. */
  readonly maxCopiedBytes?: number;
};

/** What became of a wish to fetch: nothing there, a file that grows, or too large, with the stream for the first who asks. */
type Begun = Growing | { kind: 'large'; opened: OpenedObject | null } | null;
type Growing = { kind: 'growing'; file: GrowingFile; installed: Promise<void> };

export class CopyFetches {
  readonly #remote: RemoteStorage;
  readonly #options: CopyFetchOptions;
  readonly #maxCopiedBytes: number;
  readonly #beginning = new SingleFlight<Begun>();
  /** The fetch whose file becomes the copy; none when the key changed since it began. */
  readonly #current = new Map<string, { growing: Growing | null }>();

  constructor(remote: RemoteStorage, options: CopyFetchOptions) {
    this.#remote = remote;
    this.#options = options;
    this.#maxCopiedBytes = options.maxCopiedBytes ?? defaultMaxCopiedBytes;
  }

  async readWhole(key: string): Promise<Readable | null> {
    const begun = this.#current.get(key)?.growing ?? (await this.#begin(key, this.#maxCopiedBytes));
    if (!begun) return null;
    const growing = begun.kind === 'growing' ? begun.file.read() : null;
    if (growing) return growing;
    if (begun.kind === 'large' && begun.opened) {
      const { stream } = begun.opened;
      begun.opened = null;
      return stream;
    }
    return (await this.#remote.open(key))?.stream ?? null;
  }

  /** The part at once, and the whole on the side when it is small enough to be wanted again. */
  async readPart(key: string, range: ByteRange): Promise<Readable | null> {
    const opened = await this.#remote.open(key, range);
    if (!opened) return null;
    if (opened.sizeBytes <= this.#maxCopiedBytes && !this.#current.has(key)) {
      void this.#begin(key, this.#maxCopiedBytes)
        .then((begun) => begun?.kind === 'large' && begun.opened?.stream.destroy())
        .catch(() => undefined);
    }
    return opened.stream;
  }

  async take(key: string): Promise<LocalCopy | null> {
    const { copies, name } = this.#options;
    // Twice: a copy may be dropped between the moment it is whole and the moment it is held.
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      const copy = await copies.take(`${name}/${key}`);
      if (copy) return copy;
      const begun = this.#current.get(key)?.growing ?? (await this.#begin(key, Infinity));
      if (!begun) return null;
      if (begun.kind === 'growing') await begun.installed;
      else begun.opened?.stream.destroy();
    }
    return this.fetchAside(key);
  }

  /** A file of its own, that goes when it is released. */
  async fetchAside(key: string): Promise<LocalCopy | null> {
    const opened = await this.#remote.open(key);
    if (!opened) return null;
    const file = await this.#grow(key, opened);
    const release = (): void => void removeStaged(file.path);
    try {
      await file.done;
    } catch (error) {
      release();
      throw remoteFault(error);
    }
    return { path: file.path, release, [Symbol.dispose]: release };
  }

  /** What is being fetched now becomes no copy; who already reads it reads on. */
  stop(key: string): void {
    this.#current.delete(key);
  }

  async forget(key: string): Promise<void> {
    this.stop(key);
    await this.#options.copies.forget(`${this.#options.name}/${key}`);
  }

  #begin(key: string, maxBytes: number): Promise<Begun> {
    return this.#beginning.run(`${maxBytes} ${key}`, async () => {
      const mark: { growing: Growing | null } = { growing: null };
      this.#current.set(key, mark);
      try {
        const opened = await this.#remote.open(key);
        if (!opened) return null;
        if (opened.sizeBytes > maxBytes || !(await this.#options.copies.hasRoomFor(opened.sizeBytes)))
          return { kind: 'large', opened };
        const file = await this.#grow(key, opened);
        const installed = this.#install(key, file, mark);
        installed.catch(() => undefined);
        mark.growing = { kind: 'growing', file, installed };
        return mark.growing;
      } finally {
        if (!mark.growing && this.#current.get(key) === mark) this.#current.delete(key);
      }
    });
  }

  async #install(key: string, file: GrowingFile, mark: object): Promise<void> {
    const { copies, name } = this.#options;
    try {
      await file.done;
      if (this.#current.get(key) === mark) await copies.adopt(`${name}/${key}`, file.path);
    } catch (error) {
      throw remoteFault(error);
    } finally {
      if (this.#current.get(key) === mark) this.#current.delete(key);
      await removeStaged(file.path);
    }
  }

  async #grow(key: string, { sizeBytes, stream }: OpenedObject): Promise<GrowingFile> {
    const again = async (): Promise<Readable> => {
      const opened = await this.#remote.open(key);
      if (opened?.sizeBytes === sizeBytes) return opened.stream;
      opened?.stream.destroy();
      throw new Error('The source changed while it was fetched');
    };
    const path = await this.#options.copies.stage();
    return GrowingFile.begin(path, { sizeBytes, stream, again });
  }
}

/** A body that broke off again and again is no fault of ours; a disk that cannot be written is. */
function remoteFault(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof DiskFault) return storageError(error.cause);
  return new AppError('storage_unavailable', undefined, { ...retryAfter(5), cause: error });
}

async function removeStaged(path: string): Promise<void> {
  await unlink(path).catch(() => undefined);
  releaseStagingPath(path);
}
