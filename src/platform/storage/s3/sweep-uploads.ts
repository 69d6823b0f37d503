// Ends uploads in parts that nobody will finish: the server keeps, and charges for, their parts until then.

import type { S3Calls } from './s3-calls.ts';
import { statusOf } from './s3-errors.ts';

export async function sweepUploads(calls: S3Calls, olderThanMs: number): Promise<number> {
  const { sdk, bucket, nameOf } = calls;
  let ended = 0;
  for (const { Key, UploadId } of await staleUploads(calls, olderThanMs)) {
    // By its name in the bucket, as it was listed.
    const command = new sdk.AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId });
    await calls.call(async ({ client, signal }) => {
      try {
        await client.send(command, { abortSignal: signal });
      } catch (error) {
        // Another node was faster.
        if (statusOf(error) !== 404) throw error;
      }
    });
    if (Key?.startsWith(nameOf(''))) ended += 1;
  }
  return ended;
}

async function staleUploads(
  calls: S3Calls,
  olderThanMs: number,
): Promise<{ Key: string | undefined; UploadId: string | undefined }[]> {
  const { sdk, bucket, nameOf } = calls;
  const page = await calls.call(async ({ client, signal }) => {
    try {
      return await client.send(new sdk.ListMultipartUploadsCommand({ Bucket: bucket, Prefix: nameOf('') }), {
        abortSignal: signal,
      });
    } catch (error) {
      // A server that cannot list them has its own way to end them, or none.
      if ([404, 405, 501].includes(statusOf(error) ?? 0)) return { Uploads: [] };
      throw error;
    }
  });
  const newest = Date.now() - olderThanMs;
  return (page.Uploads ?? [])
    .filter(
      ({ Key, Initiated }) => Key?.startsWith(nameOf('')) && (Initiated?.getTime() ?? Infinity) < newest,
    )
    .map(({ Key, UploadId }) => ({ Key, UploadId }));
}
