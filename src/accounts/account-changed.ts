// What every change of an account or its keys brings with it, in the same transaction: word to all processes, whose
// caches hold accounts by bucket, and a new manifest beside the bucket's bytes, from which a lost database is rebuilt.
import type { Database, Tx } from '../platform/database/database.ts';
import { enqueue, type Job } from '../platform/jobs/jobs.ts';

/** Announced with the bucket's id. */
export const accountTopic = 'account';

/** For whoever knows the account by its id alone. */
export async function endpointsChanged(database: Database, tx: Tx, accountId: string): Promise<void> {
  const account = tx.selectFrom('accounts').select('bucket_id').where('account_id', '=', accountId);
  const found = await account.executeTakeFirst();
  if (found) await accountChanged(database, tx, found.bucket_id);
}

export async function accountChanged(
  database: Database,
  tx: Tx,
  bucketId: string,
  moreJobs: readonly Job[] = [],
): Promise<void> {
  const manifest: Job = { kind: 'bucket-manifest', key: bucketId, payload: { bucket_id: bucketId } };
  await Promise.all([database.announce(tx, accountTopic, bucketId), enqueue(tx, [manifest, ...moreJobs])]);
}
