// An account as it is now, in a transaction or outside.
import type { Database, Tx } from '../platform/database/database.ts';
import type { Account } from './tables.ts';

export function accountById(source: Tx | Database['read'], accountId: string): Promise<Account | undefined> {
  return source.selectFrom('accounts').selectAll().where('account_id', '=', accountId).executeTakeFirst();
}
