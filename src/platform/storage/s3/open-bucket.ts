// A bucket that is somebody's and not a store of ours: its keys are of any kind, and it is only read.
import type { Readable } from 'node:stream';
import { AppError } from '../../errors.ts';
import type { StoredFacts } from '../storage.ts';
import { listNames, tryListing } from './list-objects.ts';
import { readObject } from './read-object.ts';
import { parseS3Address } from './s3-address.ts';
import { openS3Calls } from './s3-calls.ts';
import { setUpError } from './s3-errors.ts';

export type Bucket = {
  /** The same for every address of the same place. */
  readonly name: string;
  /** Keys are told without the address's prefix. */
  list(): AsyncIterable<StoredFacts & { key: string }>;
  /** To be read to its end or destroyed. */
  read(key: string): Promise<Readable>;
};

/** Rejects with what the operator has to look at when the bucket cannot be read. */
export async function openBucket(text: string): Promise<Bucket> {
  const address = parseS3Address(text);
  const calls = await openS3Calls(address);
  await tryListing(calls).catch((error: unknown) => {
    throw setUpError(error, address);
  });
  return {
    name: ['s3', address.endpoint ?? '', address.bucket, address.prefix].join(' '),
    list: () => listNames(calls, ''),
    read: async (key) => {
      const opened = await readObject(calls, key, undefined);
      if (!opened) throw new AppError('source_unavailable', 'It is no longer in the bucket');
      return opened.stream;
    },
  };
}
