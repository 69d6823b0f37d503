// A file in staging from its first byte to its commit or its removal. Whatever goes wrong on the way, the bytes and the
// descriptor are gone before the caller hears of it.

import { unlink } from 'node:fs/promises';
import { failpoint } from '../failpoints.ts';
import { GatheringWriter } from './gathering-writer.ts';
import { claimStagingPath, releaseStagingPath } from './staging-files.ts';
import { storageError } from './storage-error.ts';
import type { StagedFile } from './storage.ts';

/** Moves a complete, synced file to its key; durable when it resolves. */
export type MoveToKey = (path: string, key: string) => Promise<void>;

export class StagedDiskFile implements StagedFile {
  readonly #writer: GatheringWriter;
  readonly #moveToKey: MoveToKey;
  #finished: 'committed' | 'discarded' | undefined;
  #lastCall: Promise<unknown> = Promise.resolve();

  constructor(stagingFolder: string, moveToKey: MoveToKey) {
    this.#writer = new GatheringWriter(claimStagingPath(stagingFolder));
    this.#moveToKey = moveToKey;
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

  sync(): Promise<void> {
    return this.#attempt(() => this.#writer.sync());
  }

  commit(key: string): Promise<void> {
    return this.#attempt(async () => {
      await this.#writer.sync();
      failpoint('storage:synced');
      await Promise.all([this.#writer.close(), this.#moveToKey(this.#writer.path, key)]);
      this.#finished = 'committed';
      releaseStagingPath(this.#writer.path);
    });
  }

  discard(): Promise<void> {
    return this.#inTurn(() => this.#remove());
  }

  #attempt<T>(action: () => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      try {
        if (this.#finished) throw new Error(`The staged file was already ${this.#finished}`);
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
    await this.#writer.close();
    await unlink(this.#writer.path).catch(() => undefined);
    // Also when it could not be removed: no longer in use, it falls to the next sweep.
    releaseStagingPath(this.#writer.path);
  }
}
