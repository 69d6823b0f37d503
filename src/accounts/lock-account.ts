// Changes of one account's things, one after another: who counts or looks before it writes holds the account meanwhile.
import type { Tx } from '../platform/database/database.ts';
import { engineOf, lockingRows } from '../platform/database/locking-rows.ts';

/** First in its transaction, so that no two wait for each other. */
export async function lockAccount(tx: Tx, accountId: string): Promise<void> {
  if (engineOf(tx) === 'sqlite') return;
  const row = tx.selectFrom('accounts').select('account_id').where('account_id', '=', accountId);
  await lockingRows(tx, row).execute();
}
