// A key held at the commit of what it asked for: the transaction itself looks whether it is still good, so that a key
// revoked a moment ago, or an account disabled, changes nothing more, whatever this process remembers of it.
import { sql } from 'kysely';
import { type Statement, statement } from '../platform/database/statement.ts';
import { AppError, retryAfter } from '../platform/errors.ts';

export type HeldKey = {
  /** For the transaction, as its first statement. */
  readonly hold: () => Statement;
  /** Reads the key anew and throws what is wrong with it. */
  readonly judgeAgain: () => Promise<void>;
};

/** The key or its account was not good for it any more. `judgeAgain` tells which of them. */
class KeyNotHeld extends AppError {
  constructor() {
    super('invalid_api_key');
  }
}

/** Whoever's key is not good any more hears that, and nothing of what else went wrong. */
export async function underHeldKey<T>(held: HeldKey | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await held?.judgeAgain();
    // It was not, and is again.
    throw error instanceof KeyNotHeld ? new AppError('overloaded', undefined, retryAfter(1)) : error;
  }
}

type HoldKey = { accountId: string; keyId: string; secretHash: string };

/** As `holdAccount`, whose place it takes. A secret before a rotation counts while its grace lasts. */
export function holdKey({ accountId, keyId, secretHash }: HoldKey): Statement {
  const values = { account_id: accountId, key_id: keyId, hash: secretHash, now: Date.now() };
  return hold(values, () => new KeyNotHeld());
}

const hold = statement<'account_id' | 'key_id' | 'hash' | 'now'>(
  (p) => sql`update accounts set next_seq = next_seq
    where account_id = ${p('account_id')} and enabled = 1 and exists (
      select 1 from keys where key_id = ${p('key_id')} and keys.account_id = accounts.account_id
        and (hash = ${p('hash')} or (previous_hash = ${p('hash')} and previous_until > ${p('now')})))`,
);
