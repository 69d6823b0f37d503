// What every storage backend offers. Keys are made by us and never hold a user's string; visibility of an object is
// the database's affair, so a backend only promises that what resolved is there whole and survives a power cut.

import type { Readable } from 'node:stream';

export interface Storage {
  /**
   * Begins a file at a key that was never used and that nobody knows of: what the key shows before the commit is
   * undefined, and after a crash it may show a part. Touches the disk only when bytes need room.
   */
  create(key: string): Promise<NewFile>;

  /** Stores or replaces in one step: readers see the old bytes or the new, and it is durable when it resolves. */
  put(key: string, data: Buffer | AsyncIterable<Buffer>): Promise<{ size: number }>;

  /**
   * The bytes, or null when there is no such key. A range that starts past the end is `range_not_satisfiable`; one that
   * only ends past it is cut. The caller must read the stream to its end or destroy it.
   */
  get(key: string, range?: ByteRange): Promise<Readable | null>;

  head(key: string): Promise<StoredFacts | null>;

  /** Durable when it resolves; a key that is absent is no error. Streams already open keep working. */
  delete(key: string): Promise<void>;

  /** The same for all keys below one that ends with a slash; what is added meanwhile may stay. */
  deleteFolder(prefix: string): Promise<void>;

  /**
   * Every key that starts with the prefix, in the order of its characters, without holding them all in memory. `after`: only
   * those that come after it, and the way there costs nothing.
   */
  list(prefix: string, options?: { after?: string }): AsyncIterable<StoredFacts & { key: string }>;

  /**
   * The bytes as a file that a child process can open, fetched when they lie elsewhere; it stays at least until it is
   * released. Null when there is no such key; a storage of files does not look.
   */
  localCopy(key: string): Promise<LocalCopy | null>;

  /** Where the bytes lie on a disk of this machine, for good; null when they lie elsewhere. */
  pathOnDisk(key: string): string | null;

  /** Removes what puts that died left aside: at once when their process is gone, else by age. Returns how many. */
  sweep(options: { olderThanMs: number }): Promise<number>;

  /** Rejects when nothing can be written durably now. */
  probe(): Promise<void>;
}

/**
 * Calls take effect in the order they are made. When one fails, the bytes are already gone and the file is of no further
 * use; calling `discard` anyway is fine.
 */
export interface NewFile {
  /** Bytes written so far. */
  readonly size: number;

  /** Resolves when more is welcome. Keeps the chunk for a while: the caller must not write into it again. */
  write(chunk: Buffer): Promise<void>;

  /** Where a child process can open all that was written so far. */
  localPath(): Promise<string>;

  /** Durable at its key when it resolves. After a rejection the key may show anything: who began it deletes it. */
  commit(): Promise<void>;

  /** Removes the bytes; never rejects (what could not be removed is a key that nothing names) and does nothing after a commit. */
  discard(): Promise<void>;
}

export interface LocalCopy extends Disposable {
  readonly path: string;
  /** May be called more than once. */
  release(): void;
}

export interface StoredFacts {
  size: number;
  modifiedAt: number;
}

/** Both ends belong to the range, as in HTTP. */
export interface ByteRange {
  start: number;
  end: number;
}
