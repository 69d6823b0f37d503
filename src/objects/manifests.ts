// A small JSON file beside every original, and one per bucket, from which a lost database can be made again. Written by
// jobs of the transaction that changed the row, from the row as it is when the job runs.
import { hash } from 'node:crypto';
import type { Account, Key } from '../accounts/tables.ts';
import type { Webhook } from '../events/tables.ts';
import type { Database } from '../platform/database/database.ts';
import { failpoint } from '../platform/failpoints.ts';
import type { Job, JobHandler } from '../platform/jobs/jobs.ts';
import { bucketManifestKey, manifestKey } from './object-keys.ts';
import type { Stores } from './stores.ts';
import type { ObjectRow } from './tables.ts';

/** A disk may stay full for hours, and nobody asks for these again. */
const maxAttempts = 100;

export type ObjectManifest = { tintype: 1; object: ObjectRow };
export type BucketManifest = {
  tintype: 1;
  written_at: number;
  account: Account;
  keys: Key[];
  webhooks: Webhook[];
  /** Of all that stands before it: much of an account changes without a new manifest, so nothing else tells damage. */
  sha256?: string;
};

type Place = Pick<ObjectRow, 'backend' | 'bucket_id' | 'generation'>;

export function manifestJob({ backend, bucket_id, generation }: Place): Job {
  return {
    kind: 'object-manifest',
    key: generation,
    payload: { backend, bucket_id, generation } satisfies Place,
  };
}

export function manifestHandlers(
  database: Database,
  stores: Stores,
  /** What else is to be done for an object, once it is written down. */
  followUp: (object: ObjectRow) => Promise<void> = async () => undefined,
): Record<string, JobHandler> {
  return {
    'object-manifest': {
      run: async (place: Place) => {
        const object = await writeObjectManifest(database, stores, place);
        if (object) await followUp(object);
      },
      maxAttempts,
    },
    'bucket-manifest': {
      run: ({ bucket_id: bucketId }: { bucket_id: string }) =>
        writeBucketManifest(database, stores, bucketId),
      maxAttempts,
    },
  };
}

async function writeObjectManifest(
  database: Database,
  stores: Stores,
  place: Place,
): Promise<ObjectRow | undefined> {
  const { backend, bucket_id: bucketId, generation } = place;
  const find = () =>
    database.read.selectFrom('objects').selectAll().where('generation', '=', generation).executeTakeFirst();
  const object = await find();
  const key = manifestKey(bucketId, generation);
  if (object) {
    const manifest: ObjectManifest = { tintype: 1, object };
    await stores[backend].put(key, Buffer.from(JSON.stringify(manifest)));
    failpoint('manifest:written');
  }
  // Deleted while it was written, now or by a run that died: the delete removed the manifest before ours came.
  if (object && (await find())) return object;
  await stores[backend].delete(key);
  return undefined;
}

/** In both backends, since either may hold the account's objects, and one may be lost. Of an erased account nothing stays. */
async function writeBucketManifest(database: Database, stores: Stores, bucketId: string): Promise<void> {
  const account = await database.read
    .selectFrom('accounts')
    .selectAll()
    .where('bucket_id', '=', bucketId)
    .executeTakeFirst();
  const places = new Set(Object.values(stores));
  if (!account) {
    for (const storage of places) await storage.delete(bucketManifestKey(bucketId));
    return;
  }
  const keys = await database.read
    .selectFrom('keys')
    .selectAll()
    .where('account_id', '=', account.account_id)
    .execute();
  const webhooks = await database.read
    .selectFrom('webhooks')
    .selectAll()
    .where('account_id', '=', account.account_id)
    .execute();
  const manifest: BucketManifest = { tintype: 1, written_at: Date.now(), account, keys, webhooks };
  const bytes = Buffer.from(printBucketManifest(manifest));
  for (const storage of places) await storage.put(bucketManifestKey(bucketId), bytes);
}

export function printBucketManifest(manifest: BucketManifest): string {
  const text = JSON.stringify({ ...manifest, sha256: undefined });
  return `${text.slice(0, -1)},"sha256":"${hash('sha256', text)}"}`;
}
