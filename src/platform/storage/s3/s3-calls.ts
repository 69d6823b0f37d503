// Every call to S3-compatible storage: tried a few times, given up soon when nobody is there, and its faults told in our words.

import { setTimeout as sleep } from 'node:timers/promises';
import type { S3Client } from '@aws-sdk/client-s3';
import { openS3Client, type S3Sdk } from '../../egress/s3-client.ts';
import { Pulse } from './pulse.ts';
import type { S3Address } from './s3-address.ts';
import { isNobodyThere, isTransient, remoteError, statusOf } from './s3-errors.ts';

const maxAttempts = 4;
/** Doubled with each attempt; all together less than a second. */
const firstPauseMs = 100;

type Attempt<Value> = (send: { client: S3Client; signal: AbortSignal; attempt: number }) => Promise<Value>;

type Call = <Value>(work: Attempt<Value>, options?: { attempts?: number }) => Promise<Value>;

export type S3Calls = {
  readonly sdk: S3Sdk;
  readonly bucket: string;
  /** The name in the bucket. */
  readonly nameOf: (key: string) => string;
  /** Faults come as they are. `work` must be ready to be called again. */
  readonly attempt: Call;
  /** The same, with faults mapped to errors a client may see. */
  readonly call: Call;
};

export async function openS3Calls(address: S3Address): Promise<S3Calls> {
  const { client, sdk } = await openS3Client(address);
  const { bucket, prefix } = address;
  const pulse = new Pulse({
    askForSign: async (abortSignal) => {
      try {
        await client.send(new sdk.HeadBucketCommand({ Bucket: bucket }), { abortSignal });
      } catch (error) {
        // Whatever it answers, somebody is there.
        if (statusOf(error) === undefined || abortSignal.aborted) throw error;
      }
    },
  });

  async function attempt<Value>(
    work: Attempt<Value>,
    { attempts = maxAttempts }: { attempts?: number } = {},
  ): Promise<Value> {
    for (let made = 1; ; made += 1) {
      pulse.assertThere();
      try {
        return await pulse.watch((signal) => work({ client, signal, attempt: made }));
      } catch (error) {
        if (!isTransient(error)) throw error;
        if (made >= attempts) {
          if (isNobodyThere(error)) pulse.noteGone();
          throw error;
        }
      }
      await sleep(Math.random() * firstPauseMs * 2 ** (made - 1));
    }
  }

  return {
    sdk,
    bucket,
    nameOf: (key) => prefix + key,
    attempt,
    call: async (work, options) => {
      try {
        return await attempt(work, options);
      } catch (error) {
        throw remoteError(error);
      }
    },
  };
}
