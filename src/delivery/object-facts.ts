// What delivery must know of an object, kept in memory so that a cached file is served without the database. A fact that
// was announced as changed is marked stale, which also silences every answer prepared from it; one that is no longer held
// would not hear of a change, so nothing is answered from it either.
import type { Account } from '../accounts/tables.ts';
import type { Presets } from '../images/address/transformation.ts';
import { Lru } from '../lib/lru.ts';
import type { ObjectRow } from '../objects/tables.ts';
import type { Database } from '../platform/database/database.ts';
import { AppError, type ErrorCode, retryAfter } from '../platform/errors.ts';

const defaultMaxKept = 50_000;

const objectColumns = [
  'backend',
  'kind',
  'bucket_id',
  'object_id',
  'generation',
  'custom_id',
  'type',
  'size_bytes',
  'sha256',
  'width',
  'height',
  'frames',
  'alpha',
  'duration_ms',
  'status',
  'film',
] as const;

const accountColumns = [
  'transform_policy',
  'signing_secret_sealed',
  'tier',
  'storage_limit_bytes',
  'video_seconds_limit',
  'rate_limit_per_minute',
  'variants_per_minute',
] as const;

export type ObjectFacts = Pick<ObjectRow, (typeof objectColumns)[number]> &
  Pick<Account, (typeof accountColumns)[number]> & {
    presets: Presets;
    stale: boolean;
    /** The database does not answer: they were true when we last heard of them. */
    inDoubt: boolean;
  };

export class FactsCache {
  readonly #database: Database;
  readonly #kept: Lru<string, ObjectFacts>;
  /** Not sure to be true any more, because word of changes may have been missed; better than nothing while nobody can tell. */
  #inDoubt: Lru<string, ObjectFacts>;
  readonly #maxKept: number;
  #changes = 0;

  constructor(
    database: Database,
    topics: { object: string; account: string },
    { maxKept = defaultMaxKept }: { maxKept?: number } = {},
  ) {
    this.#database = database;
    this.#maxKept = maxKept;
    this.#kept = new Lru(maxKept);
    this.#inDoubt = new Lru(maxKept);
    database.listen(topics.object, (key) => this.#forget((facts) => keyOf(facts) === key, key));
    database.onGap(() => this.#doubtAll());
    database.listen(topics.account, (bucketId) => this.#forget((facts) => facts.bucket_id === bucketId));
  }

  async find(bucketId: string, objectId: string): Promise<ObjectFacts | null> {
    const key = `${bucketId}/${objectId}`;
    const kept = this.#hears() ? this.#kept.get(key) : undefined;
    if (kept) return kept;
    for (;;) {
      const changes = this.#changes;
      const facts = await this.#load(bucketId, objectId).catch((error: unknown) => {
        const known = isCode(error, 'database_unavailable') ? this.#inDoubt.get(key) : undefined;
        if (known) return { ...known, inDoubt: true };
        throw error;
      });
      // One in doubt is for this request alone: it would not hear of changes.
      if (facts && (facts.inDoubt || !this.#hears())) return { ...facts, stale: false };
      // Something changed while we read: what we have may already be old, and would never hear that it is.
      if (facts && changes !== this.#changes) continue;
      // Two that read at once share the facts of the first, or word of a change would reach only one of them.
      const first = this.#kept.get(key);
      if (facts && !first) this.#kept.set(key, facts);
      this.#inDoubt.delete(key);
      return first ?? facts;
    }
  }

  /** Whether word of a change would still reach these facts; what was prepared from others must not be used again. */
  isCurrent(facts: ObjectFacts): boolean {
    return this.#hears() && this.#kept.get(keyOf(facts)) === facts;
  }

  /** Whether the object is still there: facts also grow stale when only its account has changed. */
  async isStored(generation: string): Promise<boolean> {
    const query = this.#database.read.selectFrom('objects').select('generation');
    return (await query.where('generation', '=', generation).executeTakeFirst()) !== undefined;
  }

  /** Nothing is answered from facts whose change we might not have heard of: an id may be somebody else's by now. */
  #hears(): boolean {
    if (this.#database.hearsInTime()) return true;
    if (this.#kept.size > 0) this.#doubtAll();
    return false;
  }

  #doubtAll(): void {
    this.#changes += 1;
    const doubted = new Lru<string, ObjectFacts>(this.#maxKept);
    for (const facts of [...this.#inDoubt.values(), ...this.#kept.values()]) {
      facts.stale = true;
      doubted.set(keyOf(facts), facts);
      this.#kept.delete(keyOf(facts));
    }
    this.#inDoubt = doubted;
  }

  #forget(matches: (facts: ObjectFacts) => boolean, key?: string): void {
    this.#changes += 1;
    const affected = key === undefined ? [...this.#kept.values()] : [this.#kept.get(key)];
    const doubted = key === undefined ? [...this.#inDoubt.values()] : [this.#inDoubt.get(key)];
    for (const facts of doubted) if (facts && matches(facts)) this.#inDoubt.delete(keyOf(facts));
    for (const facts of affected) {
      if (!facts || !matches(facts)) continue;
      facts.stale = true;
      this.#kept.delete(keyOf(facts));
    }
  }

  async #load(bucketId: string, objectId: string): Promise<ObjectFacts | null> {
    const row = await this.#database.read
      .selectFrom('objects')
      .innerJoin('accounts', 'accounts.account_id', 'objects.account_id')
      .select(objectColumns.map((column) => `objects.${column}` as const))
      .select(accountColumns.map((column) => `accounts.${column}` as const))
      .select('accounts.presets')
      .where('objects.bucket_id', '=', bucketId)
      .where('objects.object_id', '=', objectId)
      .where('accounts.enabled', '=', 1)
      .executeTakeFirst();
    return row ? { ...row, presets: JSON.parse(row.presets) as Presets, stale: false, inDoubt: false } : null;
  }
}

/** That files are gone says nothing of an object in doubt: the id may be another's by now, which only the database could tell. */
export function unlessInDoubt(facts: ObjectFacts | null, error: unknown): unknown {
  if (!facts?.inDoubt || !isCode(error, 'object_not_found')) return error;
  return new AppError('database_unavailable', undefined, { ...retryAfter(1), cause: error });
}

function isCode(error: unknown, code: ErrorCode): boolean {
  return error instanceof AppError && error.code === code;
}

function keyOf(facts: Pick<ObjectFacts, 'bucket_id' | 'object_id'>): string {
  return `${facts.bucket_id}/${facts.object_id}`;
}
