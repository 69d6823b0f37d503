// Gives the variant of an original: from disk, from another node, or made. What is there is found by its name alone; the generation in it
// keeps the pictures of an id that was used again apart.
import { utimes } from 'node:fs/promises';
import { Lru } from '../../lib/lru.ts';
import { AppError } from '../../platform/errors.ts';
import { formats } from '../address/formats.ts';
import type { VariantTransformation } from '../address/transformation.ts';
import type { MakeOptions, VariantMaker } from './make-variant.ts';
import type { OriginalImage } from './original-image.ts';
import type { StoredOriginal } from './shared-variants.ts';
import { variantFileName } from './variant-path.ts';
import type { FoundVariant, VariantStore } from './variant-store.ts';

/** Somebody may empty the cache at any time. */
const maxAttempts = 2;
const maxInBackground = 50;
const maxFailuresKnown = 10_000;
const retryFailedAfterMs = 600_000;

/** An open variant; whoever asked for it closes the handle. */
export type Variant = FoundVariant & {
  readonly fileName: string;
  readonly mediaType: string;
  /** Whether it was there before it was asked for. */
  readonly cached: boolean;
};

export class VariantRenderer {
  readonly #store: VariantStore;
  readonly #maker: VariantMaker;
  readonly #failedAt = new Lru<string, number>(maxFailuresKnown);
  #inBackground = 0;

  constructor({ store, maker }: { store: VariantStore; maker: VariantMaker }) {
    this.#store = store;
    this.#maker = maker;
  }

  async getVariant(
    original: OriginalImage,
    transformation: VariantTransformation,
    options: MakeOptions = {},
  ): Promise<Variant> {
    const there = await this.#onDisk(original, transformation, options);
    if (there !== null) return there;
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const { found } = await this.#maker.make(original, transformation, options);
      const made = await this.#onDisk(original, transformation, options);
      if (made !== null) return { ...made, cached: found };
    }
    // Lost again and again: its object was deleted meanwhile.
    throw new AppError('object_not_found');
  }

  /** Null when it was never made, or is lost. */
  async findVariant(
    original: OriginalImage,
    transformation: VariantTransformation,
    options: MakeOptions = {},
  ): Promise<Variant | null> {
    const there = await this.#onDisk(original, transformation, options);
    if (there !== null || !(await this.#maker.bring(original, transformation, options))) return there;
    return this.#onDisk(original, transformation, options);
  }

  async #onDisk(
    original: OriginalImage,
    transformation: VariantTransformation,
    { kept = false, mark }: MakeOptions,
  ): Promise<Variant | null> {
    const fileName = variantFileName(transformation, mark?.generation);
    const found = await this.#store.find(original, fileName, kept);
    const { mediaType } = formats[transformation.format];
    return found && { ...found, fileName, mediaType, cached: true };
  }

  /** Without waiting for it. What fails, or finds too many before it, is tried again when somebody asks later. */
  makeInBackground(
    original: OriginalImage,
    transformation: VariantTransformation,
    options: MakeOptions = {},
  ): void {
    const name = `${original.generation} ${variantFileName(transformation, options.mark?.generation)}`;
    const failedAt = this.#failedAt.get(name) ?? 0;
    if (this.#inBackground >= maxInBackground || Date.now() - failedAt < retryFailedAfterMs) return;
    this.#inBackground += 1;
    void this.#maker
      .make(original, transformation, { ...options, background: true })
      .catch(() => this.#failedAt.set(name, Date.now()))
      .finally(() => (this.#inBackground -= 1));
  }

  /** Of a file that is answered from memory. */
  noteUse(path: string): void {
    const now = Date.now() / 1000;
    void utimes(path, now, now).catch(() => undefined);
  }

  /** Resolves when it stays for good, as long as its original, on whatever node. */
  keepVariant(original: StoredOriginal, fileName: string): Promise<void> {
    return this.#maker.keep(original, fileName);
  }

  /** One of those /create had kept that is now too old for that. */
  releaseVariant(original: StoredOriginal, fileName: string): Promise<void> {
    return this.#maker.release(original, fileName);
  }

  removeVariants(bucketId: string, generation: string): Promise<void> {
    return this.#store.remove({ bucketId, generation });
  }
}
