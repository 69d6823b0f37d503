// An upload in parts: each is read from the spool file when it is its turn, so that a retry reads again and memory does not
// grow with the file. Parts travel while later ones still come.

import { createReadStream } from 'node:fs';
import type { CompletedPart } from '@aws-sdk/client-s3';
import type { ProofOfBytes } from './part-sums.ts';
import type { S3Calls } from './s3-calls.ts';
import { Slots } from './slots.ts';

const partsAtOnce = 3;

export type FilePart = { readonly path: string; readonly start: number; readonly end: number };

export class MultipartUpload {
  readonly #calls: S3Calls;
  readonly #key: string;
  /** Of all uploads to this storage, so that many of them leave connections for others. */
  readonly #shared: Slots;
  readonly #own = new Slots(partsAtOnce);
  readonly #uploadId: Promise<string>;
  readonly #stopping = new AbortController();
  readonly #parts: Promise<CompletedPart>[] = [];
  #failure: unknown;

  constructor(calls: S3Calls, key: string, shared: Slots, withCrc32: boolean) {
    this.#calls = calls;
    this.#key = key;
    this.#shared = shared;
    this.#uploadId = this.#begin(withCrc32);
    this.#uploadId.catch((error: unknown) => (this.#failure ??= error));
  }

  /** What went wrong in the background is told with the next call. */
  throwIfFailed(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  add(part: FilePart, proof: ProofOfBytes): void {
    const number = this.#parts.length + 1;
    const sent = this.#own.run(() => this.#shared.run(() => this.#send(number, part, proof)));
    sent.catch((error: unknown) => (this.#failure ??= error));
    this.#parts.push(sent);
  }

  /** Resolves when it is whole at its key. */
  async complete(
    condition: { IfNoneMatch?: '*' },
    alreadyThere: (error: unknown) => Promise<boolean>,
  ): Promise<void> {
    const { sdk, bucket, nameOf } = this.#calls;
    const [UploadId, Parts] = await Promise.all([this.#uploadId, Promise.all(this.#parts)]);
    await this.#calls.attempt(async ({ client, signal, attempt }) => {
      const command = new sdk.CompleteMultipartUploadCommand({
        Bucket: bucket,
        Key: nameOf(this.#key),
        UploadId,
        MultipartUpload: { Parts },
        ...condition,
      });
      try {
        await client.send(command, { abortSignal: signal });
      } catch (error) {
        if (attempt === 1 || !(await alreadyThere(error))) throw error;
      }
    });
  }

  /** Nothing of it stays; what cannot be removed now falls to a sweep. */
  async abort(): Promise<void> {
    this.#stopping.abort();
    await Promise.allSettled(this.#parts);
    try {
      const UploadId = await this.#uploadId;
      const { sdk, bucket, nameOf } = this.#calls;
      const command = new sdk.AbortMultipartUploadCommand({
        Bucket: bucket,
        Key: nameOf(this.#key),
        UploadId,
      });
      await this.#calls.attempt(({ client, signal }) => client.send(command, { abortSignal: signal }));
    } catch {
      // A server that is away, or never knew of it.
    }
  }

  async #begin(withCrc32: boolean): Promise<string> {
    const { sdk, bucket, nameOf } = this.#calls;
    const { UploadId } = await this.#calls.attempt(({ client, signal }) =>
      client.send(
        new sdk.CreateMultipartUploadCommand({
          Bucket: bucket,
          Key: nameOf(this.#key),
          // Of the whole, so that whoever reads can compare it.
          ...(withCrc32 ? { ChecksumAlgorithm: 'CRC32', ChecksumType: 'FULL_OBJECT' } : {}),
        }),
        { abortSignal: signal },
      ),
    );
    if (UploadId === undefined) throw new Error('The storage began no upload');
    return UploadId;
  }

  async #send(PartNumber: number, part: FilePart, proof: ProofOfBytes): Promise<CompletedPart> {
    const { sdk, bucket, nameOf } = this.#calls;
    const UploadId = await this.#uploadId;
    const { ETag } = await this.#calls.attempt(({ client, signal }) => {
      this.#stopping.signal.throwIfAborted();
      const Body = createReadStream(part.path, { start: part.start, end: part.end });
      const abortSignal = AbortSignal.any([signal, this.#stopping.signal]);
      const command = new sdk.UploadPartCommand({
        Bucket: bucket,
        Key: nameOf(this.#key),
        UploadId,
        PartNumber,
        Body,
        ContentLength: part.end - part.start + 1,
        ...proof,
      });
      return client.send(command, { abortSignal }).finally(() => Body.destroy());
    });
    return { PartNumber, ETag, ...('ChecksumCRC32' in proof ? proof : {}) };
  }
}
