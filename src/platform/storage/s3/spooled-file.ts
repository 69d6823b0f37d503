// A file on its way to S3-compatible storage: its bytes are spooled to disk as they come, where a child process can look at
// them; once more than one part has come, full parts are sent in the background. A small file is one call at the commit.

import { createReadStream } from 'node:fs';
import { mkdir, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { allEnded } from '../../../lib/all-ended.ts';
import { AppError } from '../../errors.ts';
import { failpoint } from '../../failpoints.ts';
import { openNewFile } from '../descriptors.ts';
import { GatheringWriter, type OpenFile } from '../gathering-writer.ts';
import { NewFileLife } from '../new-file-life.ts';
import type { KeepSpool } from '../remote-storage.ts';
import { claimStagingPath, releaseStagingPath } from '../staging-files.ts';
import { isAbsent } from '../storage-error.ts';
import type { NewFile } from '../storage.ts';
import { MultipartUpload } from './multipart-upload.ts';
import { PartSums } from './part-sums.ts';
import type { S3Checksum } from './s3-address.ts';
import type { S3Calls } from './s3-calls.ts';
import { nameOf, remoteError, statusOf } from './s3-errors.ts';
import type { Slots } from './slots.ts';

export type SpoolParts = {
  readonly calls: S3Calls;
  readonly checksum: S3Checksum;
  readonly stagingFolder: string;
  readonly partBytes: number;
  readonly slots: Slots;
  /** For a key that must be new: how the server is told so, or refuses a key that is taken. */
  readonly conditionFor: (key: string) => Promise<{ IfNoneMatch?: '*' }>;
  readonly sizeOf: (key: string) => Promise<number | null>;
  readonly keep: KeepSpool;
};

const maxParts = 10_000;

export class SpooledFile implements NewFile {
  readonly #parts: SpoolParts;
  readonly #key: string;
  readonly #mayReplace: boolean;
  readonly #life = new NewFileLife({ remove: () => this.#remove(), toError: remoteError });
  readonly #writer: GatheringWriter;
  readonly #sums: PartSums;
  #upload: MultipartUpload | null = null;
  #sentParts = 0;

  constructor(parts: SpoolParts, key: string, { mayReplace }: { mayReplace: boolean }) {
    this.#parts = parts;
    this.#key = key;
    this.#mayReplace = mayReplace;
    this.#writer = new GatheringWriter(claimStagingPath(parts.stagingFolder), openSpool);
    this.#sums = new PartSums(parts.checksum, parts.partBytes);
  }

  get size(): number {
    return this.#writer.size;
  }

  write(chunk: Buffer): Promise<void> {
    return this.#life.attempt(async () => {
      this.#upload?.throwIfFailed();
      this.#sums.add(chunk);
      await this.#writer.write(chunk);
      await this.#sendFullParts();
    });
  }

  localPath(): Promise<string> {
    return this.#life.attempt(async () => {
      await this.#writer.flush();
      return this.#writer.path;
    });
  }

  commit(): Promise<void> {
    return this.#life.attempt(async () => {
      await this.#writer.flush();
      const { path } = this.#writer;
      // It may become a copy, and one that a loss of power had cut short would be taken for whole.
      await allEnded([this.#store(), this.#writer.sync()]);
      failpoint('storage:written');
      this.#writer.close();
      this.#life.committed();
      await this.#parts.keep(this.#key, path).catch(() => undefined);
      releaseStagingPath(path);
    });
  }

  discard(): Promise<void> {
    return this.#life.discard();
  }

  async #sendFullParts(): Promise<void> {
    const { calls, checksum, partBytes, slots } = this.#parts;
    // A file of exactly one part is still a small one.
    while (this.size > (this.#sentParts + 1) * partBytes) {
      if (this.#sentParts >= maxParts - 1) throw new AppError('file_too_large');
      await this.#writer.flush();
      this.#upload ??= new MultipartUpload(calls, this.#key, slots, checksum === 'crc32');
      this.#sendPart((this.#sentParts + 1) * partBytes - 1);
    }
  }

  #sendPart(end: number): void {
    const start = this.#sentParts * this.#parts.partBytes;
    this.#upload?.add({ path: this.#writer.path, start, end }, this.#sums.of(this.#sentParts));
    this.#sentParts += 1;
  }

  async #store(): Promise<void> {
    const condition = this.#mayReplace ? {} : await this.#parts.conditionFor(this.#key);
    if (!this.#upload) return this.#putWhole(condition);
    this.#sendPart(this.size - 1);
    await this.#upload.complete(condition, (error) => this.#isAlreadyThere(error));
  }

  async #putWhole(condition: { IfNoneMatch?: '*' }): Promise<void> {
    const { sdk, bucket, nameOf: nameIn, attempt: run } = this.#parts.calls;
    const size = this.size;
    await run(async ({ client, signal, attempt }) => {
      const Body = size === 0 ? Buffer.alloc(0) : createReadStream(this.#writer.path);
      const command = new sdk.PutObjectCommand({
        Bucket: bucket,
        Key: nameIn(this.#key),
        Body,
        ContentLength: size,
        ...this.#sums.of(0),
        ...condition,
      });
      try {
        await client.send(command, { abortSignal: signal });
      } catch (error) {
        if (attempt === 1 || !(await this.#isAlreadyThere(error))) throw error;
      } finally {
        if (!Buffer.isBuffer(Body)) Body.destroy();
      }
    });
  }

  /** An earlier attempt may have succeeded although its answer was lost; the key is nobody else's. */
  async #isAlreadyThere(error: unknown): Promise<boolean> {
    const mayBe = statusOf(error) === 412 || nameOf(error) === 'NoSuchUpload';
    return mayBe && (await this.#parts.sizeOf(this.#key)) === this.size;
  }

  async #remove(): Promise<void> {
    await this.#upload?.abort();
    if (this.#writer.isOpened) {
      this.#writer.close();
      await unlink(this.#writer.path).catch(() => undefined);
    }
    releaseStagingPath(this.#writer.path);
  }
}

const openSpool: OpenFile = async (path, how) => {
  try {
    return await openNewFile(path, how);
  } catch (error) {
    if (!isAbsent(error)) throw error;
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    return openNewFile(path, how);
  }
};
