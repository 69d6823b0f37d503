// An account as it is and stays until the transaction ends: what is decided by its settings must not outlive them.
import type { Account } from '../../accounts/tables.ts';
import type { Tx } from '../../platform/database/database.ts';
import { lockingRows } from '../../platform/database/locking-rows.ts';

export function holdAccount(tx: Tx, accountId: string): Promise<Account | undefined> {
  const account = tx.selectFrom('accounts').selectAll().where('account_id', '=', accountId);
  return lockingRows(tx, account).executeTakeFirst();
}
