// Variants in the store of their object, where other nodes find them: looked for only when they are not on this node's
// disk, fetched to it, and sent after they were made. All of this may fail: then each node makes its own.
import { createWriteStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { StorageBackend } from '../../accounts/tables.ts';
import type { Stores } from '../../objects/stores.ts';
import { SingleFlight } from '../../lib/single-flight.ts';
import { withinTime } from '../../lib/within-time.ts';
import { isThere } from '../../platform/is-there.ts';
import type { Log } from '../../platform/log.ts';
import type { Storage } from '../../platform/storage/storage.ts';
import type { CacheEvictor } from './cache-evictor.ts';
import { PublishQueue } from './publish-queue.ts';
import type { Sharing } from './sharing.ts';
import { readVariant, temporaryPath } from './variant-file.ts';
import { variantKey, variantsFolderKey } from './variant-path.ts';
import type { Original, VariantStore } from './variant-store.ts';

/** Making it takes hardly longer than this. */
const maxLookMs = 1000;
const maxFetchMs = 20_000;
/** A store that did not answer is left alone for a moment, so that not everybody waits for it. */
const restMs = 2000;
const closeMs = 3000;
/** Stores take whole buffers in one call. */
const maxHeldBytes = 4 * 1024 * 1024;

export type StoredOriginal = Original & { readonly backend: StorageBackend };
type FileOptions = {
  /** Stays as long as its original. */
  readonly kept?: boolean;
  /** A picture with nothing behind it that could tell whether it is whole. */
  readonly plain?: boolean;
};

export type SharedVariantsParts = {
  sharing: Sharing;
  stores: Stores;
  store: VariantStore;
  evictor: Pick<CacheEvictor, 'added'>;
  isStored: (generation: string) => Promise<boolean>;
  log: Pick<Log, 'warn'>;
};

export class SharedVariants {
  readonly #parts: SharedVariantsParts;
  readonly #fetches = new SingleFlight<boolean>();
  readonly #queue = new PublishQueue();
  readonly #restUntil = new Map<StorageBackend, number>();
  #isFull = false;

  constructor(parts: SharedVariantsParts) {
    this.#parts = parts;
  }

  isShared({ backend }: StoredOriginal): boolean {
    return this.#parts.sharing.stores.has(backend);
  }

  /** Whether another node has made it. It is then on this one's disk as well, among what may be dropped unless `kept`. */
  async bring(original: StoredOriginal, fileName: string, options: FileOptions = {}): Promise<boolean> {
    if (!this.isShared(original)) return false;
    if (Date.now() < (this.#restUntil.get(original.backend) ?? 0)) return false;
    const path = this.#parts.store.pathOf(original, fileName, options.kept === true);
    return this.#fetches.run(path, async () => {
      const stream = await this.#open(original, fileName);
      if (!stream) return false;
      try {
        return await this.#save(stream, path, options);
      } catch (error) {
        this.#parts.log.warn({ err: error, fileName }, 'could not fetch a variant from the store');
        return false;
      }
    });
  }

  /** Sends a file of this node's disk. Never rejects. */
  async publish(original: StoredOriginal, fileName: string, options: FileOptions = {}): Promise<void> {
    if (!this.isShared(original)) return;
    const key = variantKey(original, fileName, options.kept === true);
    const sent = this.#queue.add(key, () => this.#send(original, fileName, key));
    if (sent === null && !this.#isFull)
      this.#parts.log.warn({}, 'the store is too slow for the variants that are made; some are not shared');
    this.#isFull = sent === null;
    await sent;
  }

  publishLater(original: StoredOriginal, fileName: string, options: FileOptions = {}): void {
    void this.publish(original, fileName, options);
  }

  /** One that is to stay, wherever it was found: sent unless it stays already. */
  async keep(original: StoredOriginal, fileName: string): Promise<void> {
    if (!this.isShared(original)) return;
    const key = variantKey(original, fileName, true);
    const there = await withinTime(this.#storageOf(original).head(key), maxLookMs);
    if (!there) await this.publish(original, fileName, { kept: true });
  }

  /** Never rejects: what could not be removed goes with its original. */
  async release(original: StoredOriginal, fileName: string): Promise<void> {
    if (!this.isShared(original)) return;
    try {
      await this.#storageOf(original).delete(variantKey(original, fileName, true));
    } catch (error) {
      this.#parts.log.warn({ err: error, fileName }, 'could not remove a variant from the store');
    }
  }

  async remove(original: Original): Promise<void> {
    const { sharing, stores } = this.#parts;
    await Promise.all(
      [...sharing.stores].flatMap((backend) =>
        [true, false].map((kept) => stores[backend].deleteFolder(variantsFolderKey(original, kept))),
      ),
    );
  }

  /** What was made last is still sent, but nobody waits long for it. */
  async close(): Promise<void> {
    await withinTime(this.#queue.settled(), closeMs);
  }

  #storageOf({ backend }: StoredOriginal): Storage {
    return this.#parts.stores[backend];
  }

  async #open(original: StoredOriginal, fileName: string): Promise<Readable | null> {
    const storage = this.#storageOf(original);
    const asked = [true, false].map((kept) => storage.get(variantKey(original, fileName, kept)));
    const found = await withinTime(Promise.all(asked), maxLookMs);
    if (found === undefined) {
      this.#restUntil.set(original.backend, Date.now() + restMs);
      // What comes later, nobody reads.
      for (const each of asked) each.then((stream) => stream?.destroy()).catch(() => undefined);
      return null;
    }
    const [first = null, ...others] = found.filter((stream) => stream !== null);
    for (const other of others) other.destroy();
    return first;
  }

  async #save(stream: Readable, path: string, { kept, plain }: FileOptions): Promise<boolean> {
    const { store, evictor } = this.#parts;
    await store.makeFolder(path);
    const aside = temporaryPath(path, process.pid, store.stagingFolder);
    try {
      await pipeline(stream, createWriteStream(aside), { signal: AbortSignal.timeout(maxFetchMs) });
      if (!plain && !(await isWhole(aside))) return false;
      const { size } = await stat(aside);
      await rename(aside, path);
      if (!kept) await evictor.added(path, size);
      return true;
    } finally {
      await rm(aside, { force: true });
    }
  }

  async #send(original: StoredOriginal, fileName: string, key: string): Promise<void> {
    const { store, isStored, log } = this.#parts;
    try {
      const places = [true, false].map((kept) => store.pathOf(original, fileName, kept));
      const [path = ''] = (await isThere(places[0] ?? '')) ? places : places.slice(1);
      await using file = await open(path);
      const { size } = await file.stat();
      const bytes =
        size <= maxHeldBytes ? await file.readFile() : file.createReadStream({ autoClose: false });
      await this.#storageOf(original).put(key, bytes);
      // Deleted meanwhile: what came after the purge must not stay.
      if (!(await isStored(original.generation))) await this.remove(original);
    } catch (error) {
      // Dropped from disk before its turn came, or deleted with its object: no harm.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      log.warn({ err: error, fileName }, 'could not share a variant through the store');
    }
  }
}

export async function isWhole(path: string): Promise<boolean> {
  const variant = await readVariant(path);
  await variant?.handle.close();
  return variant !== null;
}
