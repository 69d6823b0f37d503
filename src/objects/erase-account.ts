// Seven days after an account was deleted: its objects, bytes, keys and record go, unless the deletion was undone.
import { accountChanged } from '../accounts/account-changed.ts';
import type { Account } from '../accounts/tables.ts';
import type { Database } from '../platform/database/database.ts';
import type { JobHandler } from '../platform/jobs/jobs.ts';
import { deleteObject, type DeleteParts } from './change-object.ts';
import { bucketManifestKey } from './object-keys.ts';

const atATime = 50;

export function eraseAccountHandler(parts: DeleteParts): JobHandler {
  const { database, stores } = parts;
  return {
    async run({ account_id: accountId }: { account_id: string }, { signal }) {
      const account = await findDue(database, accountId);
      if (!account) return;
      for (;;) {
        signal.throwIfAborted();
        const some = await database.read
          .selectFrom('objects')
          .select('object_id')
          .where('account_id', '=', accountId)
          .limit(atATime)
          .execute();
        if (some.length === 0) break;
        await Promise.all(some.map(({ object_id: objectId }) => deleteObject(parts, accountId, objectId)));
      }
      for (const storage of Object.values(stores)) await storage.delete(bucketManifestKey(account.bucket_id));
      await database.write(async (tx) => {
        await tx.deleteFrom('idempotency').where('account_id', '=', accountId).execute();
        await tx.deleteFrom('keys').where('account_id', '=', accountId).execute();
        await tx.deleteFrom('accounts').where('account_id', '=', accountId).execute();
        // A manifest that was being written meanwhile must go too.
        await accountChanged(database, tx, account.bucket_id);
      });
    },
    maxAttempts: 100,
  };
}

/** Looked up in a transaction, as undoing is one: what is due here cannot be undone any more. */
function findDue(database: Database, accountId: string): Promise<Account | null> {
  return database.write(async (tx) => {
    const account = await tx
      .selectFrom('accounts')
      .selectAll()
      .where('account_id', '=', accountId)
      .executeTakeFirst();
    return account && account.erase_at !== null && account.erase_at <= database.now() ? account : null;
  });
}
