// What every change of an account or its keys brings with it, in the same transaction: word to all processes, whose
// caches hold accounts by bucket, and a new manifest beside the bucket's bytes, from which a lost database is rebuilt.
import type { Database, Tx } from '../platform/database/database.ts';
import { enqueue, type Job } from '../platform/jobs/jobs.ts';

/** Announced with the bucket's id. */
export const accountTopic = 'account';

export async function accountChanged(
  database: Database,
  tx: Tx,
  bucketId: string,
  moreJobs: readonly Job[] = [],
): Promise<void> {
  const manifest: Job = { kind: 'bucket-manifest', key: bucketId, payload: { bucket_id: bucketId } };
  await Promise.all([database.announce(tx, accountTopic, bucketId), enqueue(tx, [manifest, ...moreJobs])]);
}
