// Restores accounts, their keys and their webhooks from the manifests of buckets, of which each store has one: the newer
// counts.
import { eraseJob } from '../../accounts/accounts.ts';
import type { Account, Key } from '../../accounts/tables.ts';
import type { Webhook } from '../../events/tables.ts';
import type { Database } from '../../platform/database/database.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import { bucketManifestKey } from '../object-keys.ts';
import { readManifest } from './read.ts';
import { DamagedManifest, type Problem } from './report.ts';
import type { RowReaders } from './rows.ts';
import { readWebhooks } from './webhooks.ts';
import type { Stores } from '../stores.ts';

type Restored = { writtenAt: number; account: Account; keys: Key[]; webhooks: Webhook[] };
type Parts = {
  database: Database;
  stores: Stores;
  rows: RowReaders;
  /** Throws when the secret was sealed under another key. */
  openSecret(sealed: string): string;
  report(problem: Problem): void;
};

export class AccountRestorer {
  readonly #parts: Parts;
  readonly #byBucket = new Map<string, Restored | null>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The account of a bucket, restored when the bucket is first seen; null when no manifest tells whose it is. */
  async of(bucketId: string): Promise<Account | null> {
    let found = this.#byBucket.get(bucketId);
    if (found === undefined) {
      found = await this.#restore(bucketId);
      this.#byBucket.set(bucketId, found);
    }
    return found?.account ?? null;
  }

  /** Keys, when all accounts are there. Two may have the same one: a key the operator chose, used for a second start. */
  async finish(): Promise<{ accounts: Account[]; keys: number }> {
    const restored = [...this.#byBucket.values()].filter((found) => found !== null);
    restored.sort((left, right) => left.account.created_at - right.account.created_at);
    let keys = 0;
    for (const { account, keys: ofAccount } of restored) keys += await this.#restoreKeys(account, ofAccount);
    return { accounts: restored.map(({ account }) => account), keys };
  }

  async #restore(bucketId: string): Promise<Restored | null> {
    let newest: Restored | null = null;
    for (const backend of Object.keys(this.#parts.stores) as (keyof Stores)[]) {
      const found = await this.#read(backend, bucketId);
      if (found && (!newest || found.writtenAt > newest.writtenAt)) newest = found;
    }
    if (!newest) return null;
    const { account, webhooks } = newest;
    const inserted = await this.#parts.database.write(async (tx) => {
      const { numInsertedOrUpdatedRows: count = 0n } = await tx
        .insertInto('accounts')
        .values(account)
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirstOrThrow();
      if (count > 0n && account.erase_at !== null)
        await enqueue(tx, [eraseJob(account.account_id, account.erase_at)]);
      if (count > 0n && webhooks.length > 0)
        await tx
          .insertInto('webhooks')
          .values(webhooks)
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      return count > 0n;
    });
    if (inserted) {
      this.#checkSecrets(account, webhooks);
      return newest;
    }
    this.#damaged(bucketManifestKey(bucketId), 'is of an account that another bucket has');
    return null;
  }

  async #read(backend: keyof Stores, bucketId: string): Promise<Restored | null> {
    const { stores, rows } = this.#parts;
    const key = bucketManifestKey(bucketId);
    try {
      const manifest = await readManifest(stores[backend], key);
      if (!manifest) return null;
      const account = rows.account(manifest['account']);
      if (account.bucket_id !== bucketId) throw new DamagedManifest('is of another bucket');
      if (!Array.isArray(manifest['keys'])) throw new DamagedManifest('has no keys');
      const keys = manifest['keys'].map(rows.key);
      if (keys.some((one) => one.account_id !== account.account_id))
        throw new DamagedManifest('has a key of another account');
      const webhooks = readWebhooks(rows, manifest['webhooks'], account);
      const writtenAt = Number(manifest['written_at']) || 0;
      return { writtenAt, account: { ...account, webhook_secret_sealed: null }, keys, webhooks };
    } catch (error) {
      if (!(error instanceof DamagedManifest)) throw error;
      this.#damaged(`${backend}:${key}`, error.message);
      return null;
    }
  }

  async #restoreKeys(account: Account, keys: Key[]): Promise<number> {
    if (keys.length === 0) return 0;
    const inserted = await this.#parts.database.write((tx) =>
      tx
        .insertInto('keys')
        .values(keys)
        .onConflict((conflict) => conflict.doNothing())
        .returning('key_id')
        .execute(),
    );
    const known = new Set(inserted.map((row) => row.key_id));
    for (const { key_id: keyId } of keys.filter((key) => !known.has(key.key_id))) {
      this.#parts.report({
        kind: 'duplicate_key',
        where: `key ${keyId} of ${account.account_id}`,
        detail: 'an older account has this key, and keeps it',
      });
    }
    return inserted.length;
  }

  #checkSecrets(account: Account, webhooks: readonly Webhook[]): void {
    const secrets = [
      ['openai_api_key_sealed', account.openai_api_key_sealed],
      ['signing_secret_sealed', account.signing_secret_sealed],
      ...webhooks.map((one) => [`secret of ${one.webhook_id}`, one.secret_sealed] as const),
    ] as const;
    for (const [name, sealed] of secrets) {
      try {
        if (sealed !== null) this.#parts.openSecret(sealed);
      } catch {
        const detail = 'was sealed with another SECRET_KEY; set that one, or make the secret anew';
        this.#parts.report({ kind: 'unreadable_secret', where: `${name} of ${account.account_id}`, detail });
      }
    }
  }

  #damaged(where: string, detail: string): void {
    this.#parts.report({ kind: 'damaged_manifest', where, detail });
  }
}
