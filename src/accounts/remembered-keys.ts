// Keys as they were when last read, for requests whose effect looks at the key again (`hold-key.ts`): beside uploads that
// write all the time, reading one costs as much as hashing the picture it came with. Forgotten with every change of their
// account that we hear of.
import { Lru } from '../lib/lru.ts';
import type { Database } from '../platform/database/database.ts';
import { accountTopic } from './account-changed.ts';
import type { KnownKey } from './recognise-key.ts';

const maxKept = 10_000;

export class RememberedKeys {
  readonly #database: Database;
  /** By the hash of the secret that was shown. */
  readonly #kept = new Lru<string, KnownKey>(maxKept);
  #changes = 0;

  constructor(database: Database) {
    this.#database = database;
    database.listen(accountTopic, (bucketId) =>
      this.#forget(({ account }) => account.bucket_id === bucketId),
    );
    database.onGap(() => this.#forget(() => true));
  }

  /** One that is not good by what is remembered is read anew: nobody is refused from memory. */
  async find(
    secretHash: string,
    isGood: (known: KnownKey) => boolean,
    read: () => Promise<KnownKey | undefined>,
  ): Promise<KnownKey | undefined> {
    const kept = this.#hears() ? this.#kept.get(secretHash) : undefined;
    if (kept && isGood(kept)) return kept;
    const changes = this.#changes;
    const known = await read();
    // Should anything have changed while we read, this may already be old, and would never hear that it is.
    if (known && this.#hears() && changes === this.#changes) this.#kept.set(secretHash, known);
    return known;
  }

  #hears(): boolean {
    if (this.#database.hearsInTime()) return true;
    this.#forget(() => true);
    return false;
  }

  #forget(matches: (known: KnownKey) => boolean): void {
    this.#changes += 1;
    for (const known of this.#kept.values()) if (matches(known)) this.#kept.delete(known.secretHash);
  }
}
