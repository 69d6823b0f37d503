// Which account a command is about: the one named by id or e-mail, else the only one, else the operator's.
import type { Account } from '../accounts/tables.ts';
import { listAccounts } from '../accounts/accounts.ts';
import { allKeys } from './all-keys.ts';
import { splitScopes } from '../accounts/scopes.ts';
import type { Database } from '../platform/database/database.ts';
import { AppError } from '../platform/errors.ts';
import { UsageError } from './arguments.ts';

export async function chooseAccount(database: Database, named: string | undefined): Promise<Account> {
  const accounts = await listAccounts(database);
  if (named !== undefined) return namedAccount(accounts, named);
  const [first, ...others] = accounts;
  if (first && others.length === 0) return first;
  const operators = new Set(
    (await allKeys(database))
      .filter(({ scopes }) => splitScopes(scopes).includes('operator'))
      .map((key) => key.account_id),
  );
  const operator = accounts.find(({ account_id: accountId }) => operators.has(accountId));
  if (!operator) throw new UsageError('Say which account with --account; "tintype account list" shows them');
  return operator;
}

function namedAccount(accounts: readonly Account[], named: string): Account {
  const found = accounts.filter((account) => account.account_id === named || account.email === named);
  if (found.length > 1)
    throw new UsageError(`${found.length} accounts have this e-mail; give the account id`);
  if (!found[0])
    throw new AppError('account_not_found', `There is no account "${named}"; see "tintype account list"`);
  return found[0];
}
