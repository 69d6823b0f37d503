// The keys of all accounts: whoever has the machine may manage every one of them.
import type { Account, Key } from '../accounts/tables.ts';
import type { Database } from '../platform/database/database.ts';
import { AppError } from '../platform/errors.ts';

export type OwnedKey = Key & Pick<Account, 'bucket_id' | 'email'>;

export function allKeys(database: Database): Promise<OwnedKey[]> {
  return database.read
    .selectFrom('keys')
    .innerJoin('accounts', 'accounts.account_id', 'keys.account_id')
    .selectAll('keys')
    .select(['accounts.bucket_id', 'accounts.email'])
    .orderBy('accounts.created_at')
    .orderBy('keys.created_at')
    .orderBy('key_id')
    .execute();
}

export async function findOwnedKey(database: Database, keyId: string): Promise<OwnedKey> {
  const key = (await allKeys(database)).find((candidate) => candidate.key_id === keyId);
  if (!key) throw new AppError('key_not_found', `There is no key "${keyId}"; see "tintype key list"`);
  return key;
}
