// A file written straight to a key that nothing names yet, from its first byte to its commit or its removal. Whatever
// goes wrong on the way, the bytes and the descriptor are gone before the caller hears of it.

import { unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { allEnded } from '../../lib/all-ended.ts';
import { failpoint } from '../failpoints.ts';
import { GatheringWriter, type OpenFile } from './gathering-writer.ts';
import type { SyncFolder } from './folder-sync.ts';
import { NewFileLife } from './new-file-life.ts';
import { storageError } from './storage-error.ts';
import type { NewFile } from './storage.ts';

export class NewDiskFile implements NewFile {
  readonly #life = new NewFileLife({ remove: () => this.#remove(), toError: storageError });
  readonly #writer: GatheringWriter;
  readonly #syncFolder: SyncFolder;

  constructor(path: string, open: OpenFile, syncFolder: SyncFolder) {
    this.#writer = new GatheringWriter(path, open);
    this.#syncFolder = syncFolder;
  }

  get size(): number {
    return this.#writer.size;
  }

  write(chunk: Buffer): Promise<void> {
    return this.#life.attempt(() => this.#writer.write(chunk));
  }

  localPath(): Promise<string> {
    return this.#life.attempt(async () => {
      await this.#writer.flush();
      return this.#writer.path;
    });
  }

  commit(): Promise<void> {
    return this.#life.attempt(async () => {
      await this.#writer.openWhole();
      // Its name has been in the folder since it was opened, so neither has to wait for the other.
      await allEnded([this.#writeAll(), this.#syncFolder(dirname(this.#writer.path))]);
      this.#writer.close();
      this.#life.committed();
    });
  }

  discard(): Promise<void> {
    return this.#life.discard();
  }

  async #writeAll(): Promise<void> {
    await this.#writer.flush();
    failpoint('storage:written');
    await this.#writer.sync();
  }

  async #remove(): Promise<void> {
    if (!this.#writer.isOpened) return;
    this.#writer.close();
    await unlink(this.#writer.path).catch(() => undefined);
  }
}
