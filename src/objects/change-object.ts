// Changes of an object after its upload: new tags or folder, and its end. Each is one transaction.
import { lockAccount } from '../accounts/lock-account.ts';
import { countedSeconds, giveBackStorage, giveBackVideo } from '../accounts/quota.ts';
import { recordEvent } from '../events/record-event.ts';
import type { Database, Tx } from '../platform/database/database.ts';
import { failpoint } from '../platform/failpoints.ts';
import { enqueue, type Job, type JobHandler } from '../platform/jobs/jobs.ts';
import { changeFacets, facetsOf } from './facets.ts';
import { findObject } from './find-object.ts';
import { manifestJob } from './manifests.ts';
import { objectEventData } from './object-event-data.ts';
import type { PublicUrls } from './object-json.ts';
import { filmFolderKey, manifestKey, originalKey } from './object-keys.ts';
import type { ForgetElsewhere } from './purge-caches.ts';
import type { Stores } from './stores.ts';
import type { ObjectRow } from './tables.ts';

/** Every process drops what it holds in memory of the object that is announced here. */
export const objectTopic = 'object';
export const objectTopicKey = (object: Pick<ObjectRow, 'bucket_id' | 'object_id'>): string =>
  `${object.bucket_id}/${object.object_id}`;

export type ObjectChange = { tags?: (current: string[]) => string[]; folder?: string | null };

export async function changeObject(
  database: Database,
  accountId: string,
  objectId: string,
  change: ObjectChange,
): Promise<ObjectRow> {
  const object = await database.write(async (tx) => {
    await lockAccount(tx, accountId);
    const before = await findObject(tx, accountId, objectId);
    const tags = change.tags ? JSON.stringify(change.tags(JSON.parse(before.tags) as string[])) : before.tags;
    const after = { ...before, tags, folder: change.folder === undefined ? before.folder : change.folder };
    const had = new Set(facetsOf(before));
    const has = new Set(facetsOf(after));
    await Promise.all([
      tx
        .updateTable('objects')
        .set({ tags: after.tags, folder: after.folder })
        .where('generation', '=', before.generation)
        .execute(),
      changeFacets(tx, before, { add: [...has.difference(had)], remove: [...had.difference(has)] }),
      enqueue(tx, [manifestJob(before)]),
    ]);
    return after;
  });
  failpoint('update:committed');
  return object;
}

export type DeleteParts = {
  database: Database;
  stores: Stores;
  urls: PublicUrls;
  forgetElsewhere: ForgetElsewhere;
};

/** Gone from every address when this resolves; the bytes, and what caches hold, follow by jobs of the same transaction. */
export async function deleteObject(
  { database, stores, urls, forgetElsewhere }: DeleteParts,
  accountId: string,
  objectId: string,
): Promise<ObjectRow> {
  const object = await database.write(async (tx) => {
    await lockAccount(tx, accountId);
    const found = await findObject(tx, accountId, objectId);
    await Promise.all([
      tx.deleteFrom('objects').where('generation', '=', found.generation).execute(),
      tx.deleteFrom('kept_variants').where('generation', '=', found.generation).execute(),
      changeFacets(tx, found, { remove: facetsOf(found) }),
      giveBack(tx, found),
      enqueue(tx, [purgeJob(found), ...forgetElsewhere(found)]),
      recordEvent(tx, { accountId, type: 'object.deleted', data: objectEventData(urls, found) }),
      database.announce(tx, objectTopic, objectTopicKey(found)),
    ]);
    return found;
  });
  failpoint('delete:committed');
  // Before the answer, so that a database made again from manifests cannot bring back what was acknowledged as gone.
  await stores[object.backend].delete(manifestKey(object.bucket_id, object.generation));
  failpoint('delete:manifest-gone');
  return object;
}

function giveBack(tx: Tx, { account_id: accountId, size_bytes: bytes, duration_ms: ms }: ObjectRow) {
  return ms === null
    ? giveBackStorage(tx, accountId, bytes, 1)
    : giveBackVideo(tx, accountId, countedSeconds(ms), 1);
}

type Purge = Pick<ObjectRow, 'backend' | 'bucket_id' | 'generation' | 'kind'>;

function purgeJob({ backend, bucket_id, generation, kind }: Purge): Job {
  return {
    kind: 'purge-object',
    key: generation,
    payload: { backend, bucket_id, generation, kind } satisfies Purge,
  };
}

export function purgeHandler(
  stores: Stores,
  removeVariants: (bucketId: string, generation: string) => Promise<void>,
): JobHandler {
  return {
    async run({ backend, bucket_id: bucketId, generation, kind }: Purge) {
      const storage = stores[backend];
      await storage.delete(manifestKey(bucketId, generation));
      await storage.delete(originalKey(bucketId, generation));
      failpoint('purge:original-gone');
      if (kind === 'video') await storage.deleteFolder(filmFolderKey(bucketId, generation));
      await removeVariants(bucketId, generation);
    },
    maxAttempts: 100,
  };
}
