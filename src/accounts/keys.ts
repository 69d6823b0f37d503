// The keys of an account: made, listed, revoked and rotated. The key itself leaves here once and is never stored.
import type { Database, Tx } from '../platform/database/database.ts';
import { AppError } from '../platform/errors.ts';
import type { Scope } from '../platform/http/http-server.ts';
import { accountChanged } from './account-changed.ts';
import { lockAccount } from './lock-account.ts';
import { generateApiKey, hashApiKey, keyIdOf } from './api-key.ts';
import { defaultKeyScopes, joinScopes, splitScopes } from './scopes.ts';
import type { Account, Key } from './tables.ts';

const maxKeysPerAccount = 1000;

export type KeyOwner = Pick<Account, 'account_id' | 'bucket_id'>;
/** Whoever manages keys without the operator's scope must not come by a key that has it. */
export type KeyManager = { asOperator: boolean };

export async function createKey(
  database: Database,
  owner: KeyOwner,
  manager: KeyManager,
  input: { name: string; scopes?: readonly Scope[] | undefined; expiresAt?: number | null | undefined },
): Promise<{ key: Key; apiKey: string }> {
  const made = newKey({ ...input, accountId: owner.account_id, scopes: input.scopes ?? defaultKeyScopes });
  assertMayManage(manager, made.key);
  await database.write(async (tx) => {
    await lockAccount(tx, owner.account_id);
    const { count } = await tx
      .selectFrom('keys')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('account_id', '=', owner.account_id)
      .executeTakeFirstOrThrow();
    if (count >= maxKeysPerAccount)
      throw new AppError(
        'conflict',
        `An account can have at most ${maxKeysPerAccount} keys; revoke some first`,
      );
    await tx.insertInto('keys').values(made.key).execute();
    await accountChanged(database, tx, owner.bucket_id);
  });
  return made;
}

export function listKeys(database: Database, accountId: string): Promise<Key[]> {
  return database.read
    .selectFrom('keys')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .orderBy('key_id')
    .execute();
}

export function revokeKey(
  database: Database,
  owner: KeyOwner,
  manager: KeyManager,
  keyId: string,
): Promise<void> {
  return database.write(async (tx) => {
    await lockAccount(tx, owner.account_id);
    assertMayManage(manager, await findKey(tx, owner, keyId));
    await tx.deleteFrom('keys').where('key_id', '=', keyId).execute();
    await accountChanged(database, tx, owner.bucket_id);
  });
}

/** The same key id with a new secret; the old one stays good for the grace. */
export function rotateKey(
  database: Database,
  owner: KeyOwner,
  manager: KeyManager,
  { keyId, graceSeconds }: { keyId: string; graceSeconds: number },
): Promise<{ key: Key; apiKey: string }> {
  return database.write(async (tx) => {
    await lockAccount(tx, owner.account_id);
    const old = await findKey(tx, owner, keyId);
    assertMayManage(manager, old);
    const now = Date.now();
    if (old.expires_at !== null && old.expires_at <= now)
      throw new AppError('conflict', 'This key has expired; make a new one instead');
    const apiKey = generateApiKey(keyId);
    const grace =
      graceSeconds > 0
        ? { previous_hash: old.hash, previous_until: now + graceSeconds * 1000 }
        : { previous_hash: null, previous_until: null };
    const key = await tx
      .updateTable('keys')
      .set({ hash: hashApiKey(apiKey), ...grace })
      .where('key_id', '=', keyId)
      .returningAll()
      .executeTakeFirstOrThrow();
    await accountChanged(database, tx, owner.bucket_id);
    return { key, apiKey };
  });
}

/** A key's row, and the key itself: a generated one unless given. */
export function newKey(input: {
  accountId: string;
  name: string;
  scopes: readonly Scope[];
  expiresAt?: number | null | undefined;
  apiKey?: string | undefined;
}): { key: Key; apiKey: string } {
  const apiKey = input.apiKey ?? generateApiKey();
  const key: Key = {
    key_id: keyIdOf(apiKey),
    account_id: input.accountId,
    name: input.name,
    scopes: joinScopes(input.scopes),
    hash: hashApiKey(apiKey),
    previous_hash: null,
    previous_until: null,
    created_at: Date.now(),
    expires_at: input.expiresAt ?? null,
    last_used_at: null,
  };
  return { key, apiKey };
}

async function findKey(tx: Tx, owner: KeyOwner, keyId: string): Promise<Key> {
  const key = await tx
    .selectFrom('keys')
    .selectAll()
    .where('key_id', '=', keyId)
    .where('account_id', '=', owner.account_id)
    .executeTakeFirst();
  if (!key) throw new AppError('key_not_found');
  return key;
}

function assertMayManage(manager: KeyManager, key: Key): void {
  if (manager.asOperator || !splitScopes(key.scopes).includes('operator')) return;
  throw new AppError('scope_too_small', 'Only a key with the scope "operator" can manage keys that have it');
}
