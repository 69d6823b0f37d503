// A file written straight to a key that nothing names yet, from its first byte to its commit or its removal. Whatever
// goes wrong on the way, the bytes and the descriptor are gone before the caller hears of it.

import { unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { failpoint } from '../failpoints.ts';
import { GatheringWriter, type OpenFile } from './gathering-writer.ts';
import type { SyncFolder } from './folder-sync.ts';
import { storageError } from './storage-error.ts';
import type { NewFile } from './storage.ts';

export class NewDiskFile implements NewFile {
  readonly #writer: GatheringWriter;
  readonly #syncFolder: SyncFolder;
  #finished: 'committed' | 'discarded' | undefined;
  #lastCall: Promise<unknown> = Promise.resolve();

  constructor(path: string, open: OpenFile, syncFolder: SyncFolder) {
    this.#writer = new GatheringWriter(path, open);
    this.#syncFolder = syncFolder;
  }

  get size(): number {
    return this.#writer.size;
  }

  write(chunk: Buffer): Promise<void> {
    return this.#attempt(() => this.#writer.write(chunk));
  }

  localPath(): Promise<string> {
    return this.#attempt(async () => {
      await this.#writer.flush();
      return this.#writer.path;
    });
  }

  commit(): Promise<void> {
    return this.#attempt(async () => {
      await this.#writer.flush();
      failpoint('storage:written');
      // Its name has been in the folder since it was opened, so neither has to wait for the other.
      await Promise.all([this.#writer.sync(), this.#syncFolder(dirname(this.#writer.path))]);
      this.#writer.close();
      this.#finished = 'committed';
    });
  }

  discard(): Promise<void> {
    return this.#inTurn(() => this.#remove());
  }

  #attempt<T>(action: () => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      try {
        if (this.#finished) throw new Error(`The file was already ${this.#finished}`);
        return await action();
      } catch (error) {
        await this.#remove();
        throw storageError(error);
      }
    });
  }

  /** A request that breaks off discards while a write is still under way; the descriptor must not close under it. */
  #inTurn<T>(action: () => Promise<T>): Promise<T> {
    const result = this.#lastCall.then(action);
    this.#lastCall = result.catch(() => undefined);
    return result;
  }

  async #remove(): Promise<void> {
    if (this.#finished) return;
    this.#finished = 'discarded';
    if (!this.#writer.isOpened) return;
    this.#writer.close();
    await unlink(this.#writer.path).catch(() => undefined);
  }
}
