// Which key somebody shows: the key itself, or a session that was begun with it. It must be alive, and the secret be its
// own or the one before, as long as that stays good after a rotation.
import type { Database } from '../platform/database/database.ts';
import { hashApiKey, keyIdOf, sameHash } from './api-key.ts';
import { createKeyFinder, type FindKey, type KeyFacts } from './find-key.ts';
import { RememberedKeys } from './remembered-keys.ts';
import { isOfSecret, type Session } from './sessions.ts';
import type { Account } from './tables.ts';

export type KnownKey = {
  readonly key: KeyFacts;
  readonly account: Account;
  /** Of the secret that was shown. */
  readonly secretHash: string;
};

export class KeyRecogniser {
  readonly #findKey: FindKey;
  readonly #remembered: RememberedKeys;

  constructor(database: Database) {
    this.#findKey = createKeyFinder(database);
    this.#remembered = new RememberedKeys(database);
  }

  async byKey(apiKey: string): Promise<KnownKey | undefined> {
    const shown = hashApiKey(apiKey);
    return this.#known(keyIdOf(apiKey), (hash) => sameHash(shown, hash));
  }

  /** As it was a moment ago: for who holds it when the request takes effect. */
  async byKeyToHold(apiKey: string): Promise<KnownKey | undefined> {
    const shown = hashApiKey(apiKey);
    const isGood = ({ key, account }: KnownKey): boolean =>
      account.enabled === 1 && isAlive(key) && goodHashes(key).includes(shown);
    return this.#remembered.find(shown, isGood, () => this.byKey(apiKey));
  }

  async bySession(session: Session): Promise<KnownKey | undefined> {
    return this.#known(session.keyId, (hash) => isOfSecret(session, hash));
  }

  /** By something else that stands for it. */
  async byId(keyId: string): Promise<KnownKey | undefined> {
    return this.#known(keyId, () => true);
  }

  async #known(keyId: string, isShown: (secretHash: string) => boolean): Promise<KnownKey | undefined> {
    const found = await this.#findKey(keyId);
    if (!found || !isAlive(found.key)) return undefined;
    const secretHash = goodHashes(found.key).find(isShown);
    return secretHash === undefined ? undefined : { ...found, secretHash };
  }
}

function isAlive(key: KeyFacts): boolean {
  return key.expires_at === null || key.expires_at > Date.now();
}

function goodHashes({ hash, previous_hash: previous, previous_until: until }: KeyFacts): string[] {
  return previous !== null && (until ?? 0) > Date.now() ? [hash, previous] : [hash];
}
