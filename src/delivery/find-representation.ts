// From an address to what is sent: the object's facts, what is asked of it, whether that is allowed, and the file.
import { createHash } from 'node:crypto';
import { limitsOf } from '../accounts/limits.ts';
import { toKilobytes } from '../accounts/units.ts';
import { type ClientKind, settleFormat } from '../images/address/negotiate-format.ts';
import { planRendering } from '../images/rendering/plan.ts';
import {
  parseTransformation,
  printTransformation,
  type RequestedTransformation,
  type VariantTransformation,
  withFormat,
} from '../images/address/transformation.ts';
import type { MakeOptions } from '../images/variants/make-variant.ts';
import { originalImageOf } from '../images/variants/original-image.ts';
import type { Variant, VariantRenderer } from '../images/variants/render-variant.ts';
import type { Description } from '../images/rendering/worker-protocol.ts';
import { originalKey } from '../objects/object-keys.ts';
import { thumbnailName } from '../objects/object-json.ts';
import { cacheTags } from '../objects/purge-caches.ts';
import type { Stores } from '../objects/stores.ts';
import type { StreamIndexes } from '../videos/stream-index.ts';
import { AppError, retryAfter } from '../platform/errors.ts';
import type { PublicAddress } from './address.ts';
import type { NameForNginx } from './hand-to-nginx.ts';
import { findFilmFile, type FoundFilmFile } from './film-files.ts';
import { filmRepresentation } from './film-representation.ts';
import { type FactsCache, type ObjectFacts, unlessInDoubt } from './object-facts.ts';
import {
  heldRepresentation,
  type Lifetime,
  maxHeldBytes,
  type Representation,
  representationHeaders,
} from './representation.ts';
import { checkPolicy, isOpen } from './transform-policy.ts';

/** An AVIF of more pixels takes so long that nobody should wait for it. */
const maxAwaitedAvifPixels = 2_000_000;
/** Facts change now and then while a picture is rendered, but not all the time. */
const maxAttempts = 5;
/** Made of every upload, so nobody pays for them. */
const madeAnyway = new Set<string>([thumbnailName, 'original.webp']);

export type FindParts = {
  facts: FactsCache;
  stores: Stores;
  streams: StreamIndexes;
  variants: VariantRenderer;
  describe: (generation: string) => Promise<Description | null>;
  isKeptVariant: (generation: string, name: string) => Promise<boolean>;
  openSecret: (sealed: string) => string;
  nameForNginx: NameForNginx;
  /** The name of the header that holds the object's tag. */
  tagHeader: string;
};

export type Ask = {
  address: PublicAddress;
  /** As it was sent. */
  path: string;
  query: URLSearchParams;
  client: string;
  accepts: ClientKind;
};

export type Found = FoundRepresentation | { redirectTo: string };
type FoundRepresentation = {
  representation: Representation;
  source: 'disk' | 'rendered';
  /** Whether others who ask for the path may get the same: all, those that accept the same, or nobody. */
  sharedWith: 'all' | 'alike' | 'nobody';
};

/** What was found rests on facts that have changed since: the object may be gone, or its account have other settings. */
class FactsChanged extends Error {}

export class RepresentationFinder {
  readonly #parts: FindParts;

  constructor(parts: FindParts) {
    this.#parts = parts;
  }

  async find(ask: Ask): Promise<Found> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#findOnce(ask);
      } catch (error) {
        if (!(error instanceof FactsChanged)) throw error;
        if (attempt === maxAttempts) throw new AppError('overloaded', undefined, retryAfter(1));
      }
    }
  }

  async #findOnce(ask: Ask): Promise<Found> {
    const { bucketId, objectId, backend } = ask.address;
    const facts = await this.#parts.facts.find(bucketId, objectId);
    try {
      if (!facts || facts.backend !== backend) throw new AppError('object_not_found');
      return await this.#represent(ask, facts);
    } catch (error) {
      throw unlessInDoubt(facts, error);
    }
  }

  async #represent(ask: Ask, facts: ObjectFacts): Promise<Found> {
    const { rendition } = ask.address;
    const filmFile = facts.kind === 'video' && (await findFilmFile(this.#parts, facts, rendition));
    if (filmFile) return this.#filmFile(facts, filmFile);
    if (rendition.includes('/')) throw new AppError('not_found');
    const asked = parseTransformation(rendition, facts.presets);
    if (asked.kind === 'original')
      return { representation: this.#original(facts), source: 'disk', sharedWith: 'nobody' };
    if (asked.format === 'json') return this.#factsOf(ask, facts, asked);
    return this.#variant(ask, facts, asked);
  }

  async #variant(ask: Ask, facts: ObjectFacts, asked: RequestedTransformation): Promise<Found> {
    const mark = asked.tokens.mark === undefined ? null : await this.#markOf(facts, asked.tokens.mark);
    const negotiated = asked.format === 'auto';
    const wanted = settleFormat(asked, facts, ask.accepts);
    const name = printTransformation(wanted);
    const presetAlone = asked.preset === 'alone';
    await this.#checkPolicy(ask, facts, name, presetAlone);
    const kept = presetAlone || name === thumbnailName;
    const free = presetAlone || madeAnyway.has(name);
    const options: MakeOptions = {
      kept,
      ...(mark ? { mark: originalImageOf(this.#parts.stores, mark) } : {}),
      payer: free ? undefined : payerOf(facts, ask.client),
    };
    const all = mark ? [facts, mark] : [facts];
    const { variant, awaited } = await this.#getOrDefer(facts, wanted, options, negotiated);
    const representation = await this.#sendable(variant, all, {
      lifetime: awaited ? lifetimeOf(all, asked) : 'soon',
      varies: negotiated,
    });
    const open = awaited && isOpen(facts, name, presetAlone);
    return {
      representation,
      source: variant.cached ? 'disk' : 'rendered',
      sharedWith: open ? (negotiated ? 'alike' : 'all') : 'nobody',
    };
  }

  #checkPolicy(ask: Ask, facts: ObjectFacts, name: string, presetAlone: boolean): Promise<void> {
    const { isKeptVariant, openSecret } = this.#parts;
    const isKept = (): Promise<boolean> => isKeptVariant(facts.generation, name);
    return checkPolicy({ ...ask, facts, name, presetAlone, isKept, openSecret });
  }

  /** A large AVIF that is not there yet is made in the background, and a WebP is sent meanwhile. */
  async #getOrDefer(
    facts: ObjectFacts,
    wanted: VariantTransformation,
    options: MakeOptions,
    negotiated: boolean,
  ): Promise<{ variant: Variant; awaited: boolean }> {
    const { variants, stores } = this.#parts;
    const original = originalImageOf(stores, facts, wanted.tokens.t);
    if (!negotiated || wanted.format !== 'avif' || !isLarge(original.facts, wanted))
      return { variant: await variants.getVariant(original, wanted, options), awaited: true };
    const found = await variants.findVariant(original, wanted, options);
    if (found) return { variant: found, awaited: true };
    const variant = await variants.getVariant(original, withFormat(wanted, 'webp'), options);
    // Paid for with the WebP, since it is we who make two of one.
    variants.makeInBackground(original, wanted, { ...options, payer: undefined });
    return { variant, awaited: false };
  }

  async #markOf(facts: ObjectFacts, objectId: string): Promise<ObjectFacts> {
    const mark = await this.#parts.facts.find(facts.bucket_id, objectId);
    if (mark?.kind === 'image') return mark;
    throw new AppError('object_not_found', 'The picture of the watermark was not found');
  }

  async #sendable(
    variant: Variant,
    facts: readonly ObjectFacts[],
    { lifetime, varies }: { lifetime: Lifetime; varies: boolean },
  ): Promise<Representation> {
    const { handle, size: sizeBytes, sha256, mediaType: type } = variant;
    if (facts.some(({ stale }) => stale)) {
      await handle.close();
      for (const each of facts) if (each.stale) await this.#removeIfGone(each);
      throw new FactsChanged();
    }
    const headers = representationHeaders({ type, sha256, lifetime, varies, tag: this.#tagOf(facts) });
    if (sizeBytes > maxHeldBytes) {
      const open: Representation['open'] = async (range) =>
        handle.createReadStream({ start: range?.start ?? 0, end: range?.end ?? sizeBytes - 1 });
      return { facts, sizeBytes, ...headers, bytes: null, open, close: () => handle.close() };
    }
    const bytes = Buffer.allocUnsafeSlow(sizeBytes);
    await handle.read(bytes, 0, sizeBytes, 0);
    await handle.close();
    const held = heldRepresentation(facts, bytes, headers);
    return { ...held, noteUse: () => this.#parts.variants.noteUse(variant.path) };
  }

  /** Deleted while it was rendered: what the worker wrote after the purge must not stay. */
  async #removeIfGone({ bucket_id: bucketId, generation }: ObjectFacts): Promise<void> {
    if (!(await this.#parts.facts.isStored(generation)))
      await this.#parts.variants.removeVariants(bucketId, generation);
  }

  #tagOf(facts: readonly ObjectFacts[]): { header: string; value: string } {
    return { header: this.#parts.tagHeader, value: cacheTags(this.#parts.tagHeader, facts) };
  }

  async #filmFile(facts: ObjectFacts, { file, lifetime }: FoundFilmFile): Promise<Found> {
    if (file.kind === 'elsewhere') return { redirectTo: file.url };
    const settled = lifetime === 'of the object' ? lifetimeOf([facts]) : lifetime;
    const storage = this.#parts.stores[facts.backend];
    const tag = this.#tagOf([facts]);
    const representation = await filmRepresentation(storage, facts, { file, lifetime: settled, tag });
    if (facts.stale) throw new FactsChanged();
    return { representation, source: 'disk', sharedWith: 'all' };
  }

  #original(facts: ObjectFacts): Representation {
    const storage = this.#parts.stores[facts.backend];
    const { type, sha256 } = facts;
    return {
      facts: [facts],
      sizeBytes: facts.size_bytes,
      ...representationHeaders({
        type,
        sha256,
        lifetime: lifetimeOf([facts]),
        varies: false,
        tag: this.#tagOf([facts]),
      }),
      bytes: null,
      internalAddress: facts.size_bytes > maxHeldBytes ? this.#parts.nameForNginx(facts) : null,
      open: async (range) => {
        const stream = await storage.get(originalKey(facts.bucket_id, facts.generation), range ?? undefined);
        if (stream) return stream;
        // Another node may have deleted it a moment ago.
        if (facts.stale || !(await this.#parts.facts.isStored(facts.generation)))
          throw new AppError('object_not_found');
        throw new Error(`The original of generation ${facts.generation} is missing`);
      },
      close: () => Promise.resolve(),
    };
  }

  /** What is known of the picture, with the size it would have at this address. */
  async #factsOf(ask: Ask, facts: ObjectFacts, asked: RequestedTransformation): Promise<Found> {
    const name = printTransformation(asked);
    const presetAlone = asked.preset === 'alone';
    await this.#checkPolicy(ask, facts, name, presetAlone);
    const { facts: source } = originalImageOf(this.#parts.stores, facts);
    const asItIs = Object.keys(asked.tokens).length === 0;
    // Also of an original that is too large to be rendered whole.
    const { width, height } = asItIs ? source : planRendering(source, withFormat(asked, 'png'));
    const description = await this.#parts.describe(facts.generation);
    if (!description) throw new AppError('object_not_found');
    if (facts.stale) throw new FactsChanged();
    const body = {
      width,
      height,
      type: facts.type,
      size: toKilobytes(facts.size_bytes),
      thumbhash: description.thumbhash || null,
      dominant_color: description.dominantColor || null,
    };
    const bytes = Buffer.from(JSON.stringify(body));
    const headers = representationHeaders({
      type: 'application/json; charset=utf-8',
      sha256: createHash('sha256').update(bytes).digest('hex'),
      lifetime: lifetimeOf([facts], asked),
      varies: false,
      tag: this.#tagOf([facts]),
    });
    return {
      representation: heldRepresentation([facts], bytes, headers),
      source: 'disk',
      sharedWith: isOpen(facts, name, presetAlone) ? 'all' : 'nobody',
    };
  }
}

function isLarge(source: Parameters<typeof planRendering>[0], wanted: VariantTransformation): boolean {
  const { width, height } = planRendering(source, wanted);
  return width * height > maxAwaitedAvifPixels;
}

/** An id that was chosen may be used again, and a preset may change: then caches have to ask. */
function lifetimeOf(facts: readonly ObjectFacts[], asked?: RequestedTransformation): Lifetime {
  if (asked?.versioned) return 'for ever';
  const mayChange = facts.some(({ custom_id: custom }) => custom === 1) || (asked && asked.preset !== 'none');
  return mayChange ? 'an hour' : 'for ever';
}

function payerOf(facts: ObjectFacts, client: string): MakeOptions['payer'] {
  const { variantsPerMinute: perMinute, variantsBurst: burst } = limitsOf(facts);
  return perMinute === null || burst === null ? undefined : { client, allowance: { perMinute, burst } };
}
