// Walks and removes what lies below a prefix, a thousand keys at a time.

import { AppError } from '../../errors.ts';
import { isStorageKey } from '../storage-key.ts';
import type { StoredFacts } from '../storage.ts';
import type { S3Calls } from './s3-calls.ts';

type ListedObject = StoredFacts & { key: string };

/** S3 lists in the order of bytes, which for our keys is that of characters. What is not ours is passed over. */
export async function* listObjects(
  calls: S3Calls,
  prefix: string,
  after?: string,
): AsyncGenerator<ListedObject> {
  for await (const page of listPages(calls, prefix, after)) yield* page.filter(isOurs);
}

/** Whatever lies there. */
export async function* listNames(calls: S3Calls, prefix: string): AsyncGenerator<ListedObject> {
  for await (const page of listPages(calls, prefix)) yield* page;
}

const isOurs = ({ key }: ListedObject): boolean => isStorageKey(key);

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
    yield (page.Contents ?? []).map(({ Key = '', Size = 0, LastModified }) => ({
      key: Key.slice(base),
      size: Size,
      modifiedAt: LastModified?.getTime() ?? Date.now(),
    }));
    token = page.IsTruncated ? page.NextContinuationToken : undefined;
  } while (token !== undefined);
}

/** Rejects, with what the server said, when nothing can be listed there. */
export async function tryListing(calls: S3Calls): Promise<void> {
  const { sdk, bucket, nameOf } = calls;
  const command = new sdk.ListObjectsV2Command({ Bucket: bucket, Prefix: nameOf(''), MaxKeys: 1 });
  await calls.attempt(({ client, signal }) => client.send(command, { abortSignal: signal }));
}

export async function deleteObjects(calls: S3Calls, prefix: string): Promise<void> {
  const { sdk, bucket, nameOf } = calls;
  for await (const all of listPages(calls, prefix)) {
    const page = all.filter(isOurs);
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
