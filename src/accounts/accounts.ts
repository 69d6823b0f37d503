// The operator's use cases: making accounts, changing their tier and limits, disabling and deleting them.
import type { Updateable } from 'kysely';
import type { Database, Tx } from '../platform/database/database.ts';
import { lockName } from '../platform/database/locking-rows.ts';
import { AppError } from '../platform/errors.ts';
import type { Job } from '../platform/jobs/jobs.ts';
import { accountChanged } from './account-changed.ts';
import { newKey } from './keys.ts';
import { type AccountTerms, newAccount } from './new-account.ts';
import { settleFullStorage } from './full-storage.ts';
import { lockAccount } from './lock-account.ts';
import { newAccountScopes, operatorScopes } from './scopes.ts';
import type { Account, AccountTable } from './tables.ts';

const eraseAfterMs = 7 * 24 * 3_600_000;

export async function createAccount(
  database: Database,
  input: { email: string } & AccountTerms,
): Promise<{ account: Account; apiKey: string }> {
  const account = newAccount(input);
  const { key, apiKey } = newKey({
    accountId: account.account_id,
    name: 'default',
    scopes: newAccountScopes,
  });
  await database.write(async (tx) => {
    await tx.insertInto('accounts').values(account).execute();
    await tx.insertInto('keys').values(key).execute();
    await accountChanged(database, tx, account.bucket_id);
  });
  return { account, apiKey };
}

export function listAccounts(database: Database): Promise<Account[]> {
  return database.read
    .selectFrom('accounts')
    .selectAll()
    .orderBy('created_at')
    .orderBy('account_id')
    .execute();
}

export async function findAccount(database: Database, accountId: string): Promise<Account> {
  return found(
    await database.read
      .selectFrom('accounts')
      .selectAll()
      .where('account_id', '=', accountId)
      .executeTakeFirst(),
  );
}

/** Enabling also takes back a deletion, until the time to carry it out has come. */
export function patchAccount(
  database: Database,
  accountId: string,
  { enabled, ...terms }: AccountTerms & { enabled?: boolean },
): Promise<Account> {
  return database.write(async (tx) => {
    if (enabled === undefined && Object.keys(terms).length === 0) {
      return found(
        await tx.selectFrom('accounts').selectAll().where('account_id', '=', accountId).executeTakeFirst(),
      );
    }
    await lockAccount(tx, accountId);
    if (enabled) await refuseWhileErased(database, tx, accountId);
    const switched = enabled === undefined ? {} : enabled ? { enabled: 1, erase_at: null } : { enabled: 0 };
    const account = await updateAccount(tx, accountId, { ...terms, ...switched });
    await settleFullStorage(tx, accountId);
    await accountChanged(database, tx, account.bucket_id);
    return account;
  });
}

async function refuseWhileErased(database: Database, tx: Tx, accountId: string): Promise<void> {
  const { erase_at: eraseAt } = found(
    await tx.selectFrom('accounts').select('erase_at').where('account_id', '=', accountId).executeTakeFirst(),
  );
  if (eraseAt !== null && eraseAt <= database.now())
    throw new AppError('conflict', 'This account is being erased and cannot be enabled again');
}

/** Disabled at once, erased in a week; deleting again does not put that off. */
export function deleteAccount(database: Database, accountId: string): Promise<Account> {
  return database.write(async (tx) => {
    await lockAccount(tx, accountId);
    const { erase_at: alreadyAt } = found(
      await tx
        .selectFrom('accounts')
        .select('erase_at')
        .where('account_id', '=', accountId)
        .executeTakeFirst(),
    );
    const eraseAt = alreadyAt ?? database.now() + eraseAfterMs;
    const account = await updateAccount(tx, accountId, { enabled: 0, erase_at: eraseAt });
    await accountChanged(database, tx, account.bucket_id, [eraseJob(accountId, eraseAt)]);
    return account;
  });
}

export function eraseJob(accountId: string, eraseAt: number): Job {
  return { kind: 'erase-account', key: accountId, payload: { account_id: accountId }, runAt: eraseAt };
}

/** Makes the operator's account where there is no account at all. A key it was given is not handed back. */
export function ensureOperatorAccount(
  database: Database,
  options: { bootstrapKey?: string | undefined },
): Promise<{ created: boolean; apiKey?: string }> {
  return database.write(async (tx) => {
    // Nodes that start at once must not make two.
    await lockName(tx, 'operator account');
    if (await tx.selectFrom('accounts').select('account_id').limit(1).executeTakeFirst())
      return { created: false };
    const account = newAccount({ email: 'operator@localhost', tier: 'enterprise' });
    const { key, apiKey } = newKey({
      accountId: account.account_id,
      name: 'operator',
      scopes: operatorScopes,
      apiKey: options.bootstrapKey,
    });
    await tx.insertInto('accounts').values(account).execute();
    await tx.insertInto('keys').values(key).execute();
    await accountChanged(database, tx, account.bucket_id);
    return options.bootstrapKey ? { created: true } : { created: true, apiKey };
  });
}

async function updateAccount(tx: Tx, accountId: string, change: Updateable<AccountTable>): Promise<Account> {
  return found(
    await tx
      .updateTable('accounts')
      .set(change)
      .where('account_id', '=', accountId)
      .returningAll()
      .executeTakeFirst(),
  );
}

function found<T>(row: T | undefined): T {
  if (!row) throw new AppError('account_not_found');
  return row;
}
