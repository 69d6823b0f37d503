// The key a request came with, and its account. Runs for every API request, so the query is compiled once.
import type { Database } from '../platform/database/database.ts';
import type { Account, Key } from './tables.ts';

export type KeyFacts = Pick<
  Key,
  'key_id' | 'scopes' | 'hash' | 'previous_hash' | 'previous_until' | 'expires_at' | 'last_used_at'
>;
export type FindKey = (keyId: string) => Promise<{ key: KeyFacts; account: Account } | undefined>;

export function createKeyFinder({ read }: Database): FindKey {
  const query = read
    .selectFrom('keys')
    .innerJoin('accounts', 'accounts.account_id', 'keys.account_id')
    .selectAll('accounts')
    .select(['key_id', 'scopes', 'hash', 'previous_hash', 'previous_until', 'expires_at', 'last_used_at'])
    .where('key_id', '=', '')
    .compile();
  return async (keyId) => {
    const { rows } = await read.executeQuery<Account & KeyFacts>({ ...query, parameters: [keyId] });
    const [row] = rows;
    if (!row) return undefined;
    const { key_id, scopes, hash, previous_hash, previous_until, expires_at, last_used_at, ...account } = row;
    return {
      key: { key_id, scopes, hash, previous_hash, previous_until, expires_at, last_used_at },
      account,
    };
  };
}
