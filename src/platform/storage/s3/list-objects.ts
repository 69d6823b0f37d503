// Walks and removes what lies below a prefix, a thousand keys at a time.

import { AppError } from '../../errors.ts';
import { isStorageKey } from '../storage-key.ts';
import type { StoredFacts } from '../storage.ts';
import type { S3Calls } from './s3-calls.ts';

type ListedObject = StoredFacts & { key: string };

export async function* listObjects(
  calls: S3Calls,
  prefix: string,
  after?: string,
): AsyncGenerator<ListedObject> {
  for await (const page of listPages(calls, prefix, after)) yield* page;
}

/** S3 lists in the order of bytes, which for our keys is that of characters. What is not ours is passed over. */
async function* listPages(calls: S3Calls, prefix: string, after?: string): AsyncGenerator<ListedObject[]> {
  const { sdk, bucket, nameOf } = calls;
  const base = nameOf('').length;
  let token: string | undefined;
  do {
    const page = await calls.call(({ client, signal }) =>
      client.send(
        new sdk.ListObjectsV2Command({
          Bucket: bucket,
          Prefix: nameOf(prefix),
          ...(after === undefined ? {} : { StartAfter: nameOf(after) }),
          ...(token === undefined ? {} : { ContinuationToken: token }),
        }),
        { abortSignal: signal },
      ),
    );
    yield (page.Contents ?? [])
      .map(({ Key = '', Size = 0, LastModified }) => ({
        key: Key.slice(base),
        size: Size,
        modifiedAt: LastModified?.getTime() ?? Date.now(),
      }))
      .filter(({ key }) => isStorageKey(key));
    token = page.IsTruncated ? page.NextContinuationToken : undefined;
  } while (token !== undefined);
}

export async function deleteObjects(calls: S3Calls, prefix: string): Promise<void> {
  const { sdk, bucket, nameOf } = calls;
  for await (const page of listPages(calls, prefix)) {
    if (page.length === 0) continue;
    const Objects = page.map(({ key }) => ({ Key: nameOf(key) }));
    const { Errors = [] } = await calls.call(({ client, signal }) =>
      client.send(new sdk.DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects, Quiet: true } }), {
        abortSignal: signal,
      }),
    );
    const failed = Errors.filter(({ Code }) => Code !== 'NoSuchKey');
    if (failed.length > 0)
      throw new AppError('internal', undefined, {
        cause: new Error(
          `${failed.length} keys could not be deleted: ${failed[0]?.Code} ${failed[0]?.Message}`,
        ),
      });
  }
}
