// The files of variants, in two places: `kept` for those that stay as long as their original, `cache` for those that may
// be dropped when room is needed and made again when asked for. The second can be deleted at any time.
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isThere } from '../../platform/is-there.ts';
import { createFolderSync } from '../../platform/storage/folder-sync.ts';
import { sweepStaging } from '../../platform/storage/staging-files.ts';
import { absentOr } from '../../platform/storage/storage-error.ts';
import { readVariant, type VariantFile } from './variant-file.ts';
import { variantsFolder } from './variant-path.ts';

const removalRetries = 3;
const maxStagedMs = 3_600_000;
const maxKeptUnasked = 100;
/** The time of a file says when it was last used, to about this precision. */
const touchAfterMs = 600_000;

export type Original = { readonly bucketId: string; readonly generation: string };
export type FoundVariant = VariantFile & { readonly path: string };

export class VariantStore {
  readonly #kept: string;
  readonly cacheDir: string;
  readonly stagingFolder: string;
  readonly #syncFolder = createFolderSync();

  constructor({ keptDir, cacheDir }: { keptDir: string; cacheDir: string }) {
    this.#kept = keptDir;
    this.cacheDir = cacheDir;
    this.stagingFolder = join(cacheDir, '.staging');
  }

  get folders(): readonly string[] {
    return [this.#kept, this.cacheDir];
  }

  /** Removes what renderings that died have left; the next start tries again what fails. */
  async sweep(): Promise<void> {
    await sweepStaging(this.stagingFolder, maxStagedMs).catch(() => undefined);
  }

  pathOf({ bucketId, generation }: Original, fileName: string, kept: boolean): string {
    return join(variantsFolder(kept ? this.#kept : this.cacheDir, bucketId, generation), fileName);
  }

  /** One that is to be kept and lies in the cache is moved. The caller closes the handle. */
  async find(original: Original, fileName: string, kept: boolean): Promise<FoundVariant | null> {
    const path = this.pathOf(original, fileName, kept);
    const found = await readVariant(path);
    if (found !== null) {
      if (!kept) touch(found);
      return { ...found, path };
    }
    const otherPath = this.pathOf(original, fileName, !kept);
    const other = await readVariant(otherPath);
    if (other === null) return null;
    if (!kept) return { ...other, path: otherPath };
    await this.#move(otherPath, path);
    return { ...other, path };
  }

  /** For what costs much to make but anybody may ask for: kept, unless its original has plenty already. */
  async keepIfRoom(original: Original, fileName: string): Promise<boolean> {
    const path = this.pathOf(original, fileName, true);
    const there = await readdir(dirname(path)).catch(absentOr<string[]>([]));
    if (there.length >= maxKeptUnasked) return false;
    await this.#move(this.pathOf(original, fileName, false), path);
    return true;
  }

  /** No longer kept for good: back to those that may be dropped. */
  async release(original: Original, fileName: string): Promise<void> {
    const path = this.pathOf(original, fileName, true);
    if (await isThere(path)) await this.#move(path, this.pathOf(original, fileName, false));
  }

  async makeFolder(path: string): Promise<void> {
    await mkdir(dirname(path), { recursive: true });
    await mkdir(this.stagingFolder, { recursive: true });
  }

  async remove({ bucketId, generation }: Original): Promise<void> {
    for (const root of this.folders) {
      const folder = variantsFolder(root, bucketId, generation);
      // A worker may add a file while the folder is being emptied.
      await rm(folder, { recursive: true, force: true, maxRetries: removalRetries });
      // Otherwise a power cut could bring them back, after the job that removed them was done.
      await this.#syncFolder(dirname(folder)).catch(absentOr(undefined));
    }
  }

  async #move(from: string, to: string): Promise<void> {
    await mkdir(dirname(to), { recursive: true });
    await rename(from, to).catch(absentOr(undefined));
  }
}

function touch({ handle, usedAt }: VariantFile): void {
  const now = Date.now();
  if (now - usedAt < touchAfterMs) return;
  // The handle may be closed before this is done, and nothing hangs on it.
  void handle.utimes(now / 1000, now / 1000).catch(() => undefined);
}
