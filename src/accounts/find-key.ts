// The key a request came with, and its account. Runs for every API request, so the query is built once.
import { sql } from 'kysely';
import type { Database } from '../platform/database/database.ts';
import { statement } from '../platform/database/statement.ts';
import type { Account, Key } from './tables.ts';

export type KeyFacts = Pick<
  Key,
  'key_id' | 'scopes' | 'hash' | 'previous_hash' | 'previous_until' | 'expires_at' | 'last_used_at'
>;
export type FindKey = (keyId: string) => Promise<{ key: KeyFacts; account: Account } | undefined>;

const keyWithAccount = statement<'key_id'>(
  (p) => sql`select accounts.*,
      key_id, scopes, hash, previous_hash, previous_until, expires_at, last_used_at
    from keys inner join accounts on accounts.account_id = keys.account_id where key_id = ${p('key_id')}`,
);

export function createKeyFinder(database: Database): FindKey {
  return async (keyId) => {
    const [row] = await database.select<Account & KeyFacts>(keyWithAccount({ key_id: keyId }));
    if (!row) return undefined;
    const { key_id, scopes, hash, previous_hash, previous_until, expires_at, last_used_at, ...account } = row;
    return {
      key: { key_id, scopes, hash, previous_hash, previous_until, expires_at, last_used_at },
      account,
    };
  };
}
