// Keeps the cache of variants within its limit: when it grows beyond, those used longest ago go. What is there is counted
// once at the start, then added up; nothing else needs to be remembered, since every file knows when it was last used.
import { readdir, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Lru } from '../../lib/lru.ts';
import { listFiles } from '../../platform/storage/list-files.ts';
import { absentOr } from '../../platform/storage/storage-error.ts';

/** Evicted down to this share, so that it does not begin anew with every file. */
const restShare = 0.9;
const maxFoldersCounted = 10_000;
const defaultMaxPerOriginal = 1000;
/** What was just made is about to be read, however little room there is. */
const defaultGraceMs = 2000;

export type EvictorOptions = {
  readonly cacheDir: string;
  readonly maxBytes: number;
  readonly maxPerOriginal?: number;
  readonly graceMs?: number;
  readonly log?: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
};

export class CacheEvictor {
  readonly #options: Required<Omit<EvictorOptions, 'log'>> & Pick<EvictorOptions, 'log'>;
  readonly #countOf = new Lru<string, number>(maxFoldersCounted);
  #bytes = 0;
  #running: Promise<void> | null = null;
  #again: NodeJS.Timeout | null = null;

  constructor(options: EvictorOptions) {
    this.#options = { maxPerOriginal: defaultMaxPerOriginal, graceMs: defaultGraceMs, ...options };
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Counts what is there, and evicts what is too much. */
  start(): void {
    this.#running ??= this.#evict().finally(() => (this.#running = null));
  }

  async settled(): Promise<void> {
    while (this.#running) await this.#running;
  }

  async added(path: string, bytes: number): Promise<void> {
    this.#bytes += bytes;
    if (this.#bytes > this.#options.maxBytes && this.#again === null) this.start();
    await this.#countInFolder(dirname(path));
  }

  async #evict(): Promise<void> {
    const { cacheDir, maxBytes, log } = this.#options;
    try {
      const files: { usedAt: number; size: number }[] = [];
      let total = 0;
      for await (const { size, modifiedAt } of listFiles(cacheDir, '')) {
        total += size;
        files.push({ usedAt: modifiedAt, size });
      }
      this.#bytes = total;
      if (total <= maxBytes) return;
      const wanted = total - maxBytes * restShare;
      const removed = await this.#removeUntil(oldestUseToKeep(files, wanted), wanted);
      this.#bytes -= removed.bytes;
      if (this.#bytes > maxBytes) this.#startLater();
      log?.info({ ...removed, left: this.#bytes }, 'evicted variants');
    } catch (error) {
      log?.warn({ err: error }, 'could not evict variants');
    }
  }

  #startLater(): void {
    this.#again ??= setTimeout(() => {
      this.#again = null;
      this.start();
    }, this.#options.graceMs).unref();
  }

  async #removeUntil(lastUse: number, wanted: number): Promise<{ files: number; bytes: number }> {
    const removed = { files: 0, bytes: 0 };
    const newest = Math.min(lastUse, Date.now() - this.#options.graceMs);
    for await (const { key, size, modifiedAt } of listFiles(this.#options.cacheDir, '')) {
      if (removed.bytes >= wanted) break;
      if (modifiedAt > newest) continue;
      await unlink(join(this.#options.cacheDir, key)).catch(absentOr(undefined));
      removed.files += 1;
      removed.bytes += size;
    }
    return removed;
  }

  /** However much room there is, no original gets more files than this. */
  async #countInFolder(folder: string): Promise<void> {
    const { maxPerOriginal } = this.#options;
    const known = this.#countOf.get(folder);
    const count =
      known === undefined ? (await readdir(folder).catch(absentOr<string[]>([]))).length : known + 1;
    this.#countOf.set(folder, count);
    if (count > maxPerOriginal) await this.#thinOut(folder);
  }

  async #thinOut(folder: string): Promise<void> {
    const names = await readdir(folder).catch(absentOr<string[]>([]));
    this.#countOf.set(folder, names.length);
    const excess = names.length - Math.floor(this.#options.maxPerOriginal * restShare);
    const files = await Promise.all(
      names.map(async (name) => {
        const path = join(folder, name);
        const facts = await stat(path).catch(absentOr(null));
        return { path, usedAt: facts?.mtimeMs ?? 0, size: facts?.size ?? 0 };
      }),
    );
    const oldest = files.toSorted((a, b) => a.usedAt - b.usedAt).slice(0, Math.max(0, excess));
    for (const { path, size } of oldest) {
      await unlink(path).catch(absentOr(undefined));
      this.#bytes -= size;
    }
    this.#countOf.set(folder, names.length - oldest.length);
  }
}

/** The time up to which files must go so that enough room is made. */
function oldestUseToKeep(files: { usedAt: number; size: number }[], wanted: number): number {
  let bytes = 0;
  for (const { usedAt, size } of files.toSorted((a, b) => a.usedAt - b.usedAt)) {
    bytes += size;
    if (bytes >= wanted) return usedAt;
  }
  return Infinity;
}
