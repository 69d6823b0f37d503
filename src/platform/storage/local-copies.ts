// Copies of files that lie elsewhere, on this machine's disk, up to a total size: those used longest ago go first, never one
// that is in use. Several processes may share the folder, so what counts is on the disk: a file's time is its last use.

import { mkdir, rename, rm, rmdir, statfs, unlink, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileFacts, listFiles } from './list-files.ts';
import { claimStagingPath, sweepStaging } from './staging-files.ts';
import { absentOr, isAbsent } from './storage-error.ts';
import type { LocalCopy } from './storage.ts';

/** Dropped down to this share, so that it does not begin anew with every file. */
const restShare = 0.9;
/** How much this process may add before it looks what others have added. */
const unseenShare = 0.05;
const reservedBytes = 256 * 1024 * 1024;
const touchAfterMs = 30_000;
const defaultGraceMs = 300_000;

export type LocalCopiesOptions = {
  readonly folder: string;
  readonly maxBytes: number;
  /** What was used so recently stays, however little room there is: somebody may be about to open it. */
  readonly graceMs?: number;
};

export class LocalCopies {
  readonly #options: Required<LocalCopiesOptions>;
  readonly #pins = new Map<string, number>();
  #pinTimer: NodeJS.Timeout | null = null;
  #bytes = 0;
  #unseen = Infinity;
  #dropping: Promise<void> | null = null;

  constructor(options: LocalCopiesOptions) {
    this.#options = { graceMs: defaultGraceMs, ...options };
  }

  /** As counted last. */
  get bytes(): number {
    return this.#bytes;
  }

  get stagingFolder(): string {
    return join(this.#options.folder, '.staging');
  }

  pathOf(key: string): string {
    return join(this.#options.folder, key);
  }

  /** A name aside for what is being fetched. */
  async stage(): Promise<string> {
    await this.#makeStagingFolder();
    return claimStagingPath(this.stagingFolder);
  }

  /** What has no other place to go must find room on the disk too. */
  async hasRoomFor(bytes: number): Promise<boolean> {
    await this.#makeStagingFolder();
    const { bavail, bsize } = await statfs(this.stagingFolder);
    return bavail * bsize > bytes + reservedBytes;
  }

  /** Whether there is a copy; it counts as used. */
  async find(key: string): Promise<string | null> {
    const path = this.pathOf(key);
    const facts = await fileFacts(path);
    if (!facts) return null;
    if (Date.now() - facts.modifiedAt > touchAfterMs) await touch(path);
    return path;
  }

  /** A copy that stays until it is released. */
  async take(key: string): Promise<LocalCopy | null> {
    const release = this.#pin(key);
    const path = await this.find(key).catch((error: unknown) => {
      release();
      throw error;
    });
    if (path !== null) return { path, release, [Symbol.dispose]: release };
    release();
    return null;
  }

  /** Makes a whole file on the same disk the copy of a key. */
  async adopt(key: string, path: string): Promise<void> {
    const target = this.pathOf(key);
    const facts = await fileFacts(path);
    for (let attempt = 1; ; attempt += 1) {
      await mkdir(dirname(target), { recursive: true, mode: 0o700 });
      try {
        await rename(path, target);
        break;
      } catch (error) {
        // The folder was empty a moment ago, and was removed.
        if (!isAbsent(error) || attempt === 3) throw error;
      }
    }
    const size = facts?.size ?? 0;
    this.#bytes += size;
    this.#unseen += size;
    const { maxBytes } = this.#options;
    if (this.#bytes > maxBytes || this.#unseen > maxBytes * unseenShare) this.#drop();
  }

  async forget(key: string): Promise<void> {
    await unlink(this.pathOf(key)).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EISDIR') absentOr(undefined)(error);
    });
  }

  /** All below a key that ends with a slash. */
  async forgetFolder(prefix: string): Promise<void> {
    await rm(this.pathOf(prefix), { recursive: true, force: true, maxRetries: 3 });
  }

  sweep(olderThanMs: number): Promise<number> {
    return sweepStaging(this.stagingFolder, olderThanMs);
  }

  async isEmpty(): Promise<boolean> {
    for await (const each of listFiles(this.#options.folder, '')) return each === undefined;
    return true;
  }

  async settled(): Promise<void> {
    while (this.#dropping) await this.#dropping;
  }

  async #makeStagingFolder(): Promise<void> {
    await mkdir(this.stagingFolder, { recursive: true, mode: 0o700 });
  }

  #pin(key: string): () => void {
    this.#pins.set(key, (this.#pins.get(key) ?? 0) + 1);
    this.#pinTimer ??= setInterval(() => this.#touchPinned(), touchAfterMs).unref();
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const count = (this.#pins.get(key) ?? 1) - 1;
      if (count > 0) this.#pins.set(key, count);
      else this.#pins.delete(key);
      if (this.#pins.size > 0 || !this.#pinTimer) return;
      clearInterval(this.#pinTimer);
      this.#pinTimer = null;
    };
  }

  /** For the other processes, which do not know what is held here. */
  #touchPinned(): void {
    for (const key of this.#pins.keys()) void touch(this.pathOf(key));
  }

  #drop(): void {
    this.#dropping ??= this.#dropOldest()
      // A folder that cannot be read now is looked at again with the next copy.
      .catch(() => undefined)
      .finally(() => (this.#dropping = null));
  }

  async #dropOldest(): Promise<void> {
    const { folder, maxBytes, graceMs } = this.#options;
    this.#unseen = 0;
    const files: { key: string; size: number; modifiedAt: number }[] = [];
    for await (const file of listFiles(folder, '')) files.push(file);
    this.#bytes = files.reduce((sum, { size }) => sum + size, 0);
    if (this.#bytes <= maxBytes) return;
    const newest = Date.now() - graceMs;
    for (const { key, size, modifiedAt } of files.toSorted((a, b) => a.modifiedAt - b.modifiedAt)) {
      if (this.#bytes <= maxBytes * restShare || modifiedAt > newest) break;
      if (this.#pins.has(key)) continue;
      await this.forget(key);
      this.#bytes -= size;
      await this.#removeEmptyFolders(dirname(key));
    }
  }

  async #removeEmptyFolders(key: string): Promise<void> {
    for (let each = key; each !== '.'; each = dirname(each)) {
      try {
        await rmdir(this.pathOf(each));
      } catch {
        return;
      }
    }
  }
}

async function touch(path: string): Promise<void> {
  const now = new Date();
  await utimes(path, now, now).catch(() => undefined);
}
