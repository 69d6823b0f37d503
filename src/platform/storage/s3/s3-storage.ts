// Stores objects in a bucket of S3-compatible storage. What resolved there is whole and durable by the server's word; each
// byte that goes is proven by a checksum the server compares, and each that comes by its count and, where kept, its checksum.

import { newOwnerName } from '../../owner-name.ts';
import type { KeepSpool, RemoteStorage } from '../remote-storage.ts';
import { assertFolderKey, assertKeyPrefix, assertStorageKey } from '../storage-key.ts';
import { assertByteRange } from '../read-file-range.ts';
import type { StoredFacts } from '../storage.ts';
import { createConditions } from './conditional-writes.ts';
import { deleteObjects, listObjects, tryListing } from './list-objects.ts';
import { proofOf } from './part-sums.ts';
import { readObject } from './read-object.ts';
import type { S3Address } from './s3-address.ts';
import { openS3Calls, type S3Calls } from './s3-calls.ts';
import { isAbsentKey, remoteError } from './s3-errors.ts';
import { Slots } from './slots.ts';
import { type SpoolParts, SpooledFile } from './spooled-file.ts';
import { sweepUploads } from './sweep-uploads.ts';

const defaultPartBytes = 8 * 1024 * 1024;
const partsInFlight = 24;
/** An upload in parts may honestly take hours, on another node too. */
const defaultAbandonedMs = 24 * 3600 * 1000;

export type S3StorageOptions = {
  /** Where bytes wait on their way there; whoever has it sweeps it. */
  readonly stagingFolder: string;
  readonly keepSpool: KeepSpool;
  readonly partBytes?: number;
  readonly abandonedMs?: number;
};

export type S3Storage = RemoteStorage & {
  /** Rejects, with what the server said, when the bucket cannot be used. */
  check(): Promise<void>;
};

export async function createS3Storage(address: S3Address, options: S3StorageOptions): Promise<S3Storage> {
  const calls = await openS3Calls(address);
  const head = (key: string): Promise<StoredFacts | null> => headObject(calls, key);
  const sizeOf = async (key: string): Promise<number | null> => (await head(key))?.size ?? null;
  const spool: SpoolParts = {
    calls,
    checksum: address.checksum,
    stagingFolder: options.stagingFolder,
    partBytes: options.partBytes ?? defaultPartBytes,
    slots: new Slots(partsInFlight),
    conditionFor: createConditions(calls, sizeOf),
    sizeOf,
    keep: options.keepSpool,
  };
  const newFile = (key: string, mayReplace: boolean): SpooledFile => {
    assertStorageKey(key);
    return new SpooledFile(spool, key, { mayReplace });
  };

  return {
    create: async (key) => newFile(key, false),
    put: async (key, data) => {
      assertStorageKey(key);
      if (!Buffer.isBuffer(data)) return putAll(newFile(key, true), data);
      await putBytes(calls, calls.nameOf(key), data, address);
      return { size: data.length };
    },
    open: async (key, range) => {
      assertStorageKey(key);
      if (range) assertByteRange(range);
      return readObject(calls, key, range);
    },
    head: async (key) => {
      assertStorageKey(key);
      return head(key);
    },
    delete: async (key) => {
      assertStorageKey(key);
      await deleteName(calls, calls.nameOf(key));
    },
    deleteFolder: async (prefix) => {
      assertFolderKey(prefix);
      await deleteObjects(calls, prefix);
    },
    list: (prefix, { after } = {}) => {
      assertKeyPrefix(prefix);
      return listObjects(calls, prefix, after);
    },
    sweep: ({ olderThanMs }) =>
      sweepUploads(calls, Math.max(olderThanMs, options.abandonedMs ?? defaultAbandonedMs)),
    probe: async () => {
      // Begins with a dot, so no listing shows it.
      const name = calls.nameOf(`.probe-${newOwnerName()}`);
      await putBytes(calls, name, Buffer.from('probe'), address, { attempts: 1 });
      await deleteName(calls, name, { attempts: 1 });
    },
    check: () => tryListing(calls),
  };
}

async function putAll(file: SpooledFile, source: AsyncIterable<Buffer>): Promise<{ size: number }> {
  try {
    for await (const chunk of source) await file.write(chunk);
    await file.commit();
    return { size: file.size };
  } finally {
    await file.discard();
  }
}

async function putBytes(
  calls: S3Calls,
  Key: string,
  Body: Buffer,
  { checksum }: S3Address,
  options?: { attempts: number },
): Promise<void> {
  const command = new calls.sdk.PutObjectCommand({
    Bucket: calls.bucket,
    Key,
    Body,
    ContentLength: Body.length,
    ...proofOf(checksum, Body),
  });
  await calls.call(({ client, signal }) => client.send(command, { abortSignal: signal }), options);
}

async function deleteName(calls: S3Calls, Key: string, options?: { attempts: number }): Promise<void> {
  const command = new calls.sdk.DeleteObjectCommand({ Bucket: calls.bucket, Key });
  await calls.call(async ({ client, signal }) => {
    try {
      await client.send(command, { abortSignal: signal });
    } catch (error) {
      if (!isAbsentKey(error)) throw error;
    }
  }, options);
}

async function headObject(calls: S3Calls, key: string): Promise<StoredFacts | null> {
  const command = new calls.sdk.HeadObjectCommand({ Bucket: calls.bucket, Key: calls.nameOf(key) });
  try {
    const output = await calls.attempt(({ client, signal }) => client.send(command, { abortSignal: signal }));
    return { size: output.ContentLength ?? 0, modifiedAt: output.LastModified?.getTime() ?? Date.now() };
  } catch (error) {
    if (isAbsentKey(error)) return null;
    throw remoteError(error);
  }
}
