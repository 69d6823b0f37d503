// Writes the bytes of a resumable upload as parts, each durable before it counts: what a kill can cost is the part under
// way, and a line that breaks costs nothing, because what has come of that part is kept too.
import type { Database } from '../../platform/database/database.ts';
import { AppError } from '../../platform/errors.ts';
import { failpoint } from '../../platform/failpoints.ts';
import type { NewFile, Storage } from '../../platform/storage/storage.ts';
import type { ResumableUpload } from '../tables.ts';
import { addPart, maxParts } from './resumable-rows.ts';
import { newPartName, partKey } from './upload-keys.ts';

/** With what waits in buffers on its way here, a kill then costs less than 8 MiB. */
export const partBytes = 7.5 * 1024 * 1024;

export type ReceiveParts = { database: Database; storage: Storage; upload: ResumableUpload };

/** Resolves with how many bytes the upload then has. Whatever ends the body early comes out here, after all was kept. */
export async function receiveParts(parts: ReceiveParts, body: AsyncIterable<Buffer>): Promise<number> {
  const writer = new PartWriter(parts);
  const chunks = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await chunks.next().catch((fault: unknown) => ({ fault }));
      if ('fault' in next) {
        await writer.keep();
        throw next.fault instanceof AppError ? next.fault : brokenOff(next.fault);
      }
      if (next.done) break;
      await writer.write(next.value);
    }
    await writer.keep();
    return writer.receivedBytes;
  } catch (error) {
    await writer.discard();
    throw error;
  }
}

function brokenOff(cause: unknown): AppError {
  const advice = 'ask with HEAD how many of them have come, and go on from there';
  return new AppError('bad_request', `The connection ended before all bytes had come; ${advice}`, { cause });
}

class PartWriter {
  readonly #parts: ReceiveParts;
  #part: { name: string; key: string; file: NewFile } | null = null;
  #count: number;
  /** Those that count. */
  receivedBytes: number;

  constructor(parts: ReceiveParts) {
    this.#parts = parts;
    this.#count = parts.upload.parts;
    this.receivedBytes = parts.upload.received_bytes;
  }

  async write(chunk: Buffer): Promise<void> {
    const { length_bytes: lengthBytes } = this.#parts.upload;
    if (this.receivedBytes + (this.#part?.file.size ?? 0) + chunk.length > lengthBytes)
      throw new AppError('file_too_large', 'More bytes came than the upload was said to have');
    for (let rest = chunk; rest.length > 0;) {
      this.#part ??= await this.#begin();
      const { file } = this.#part;
      const taken = rest.subarray(0, partBytes - file.size);
      await file.write(taken);
      rest = rest.subarray(taken.length);
      if (file.size === partBytes) await this.keep();
    }
  }

  async keep(): Promise<void> {
    const part = this.#part;
    if (!part) return;
    const { database, storage, upload } = this.#parts;
    const { size } = part.file;
    await part.file.commit();
    this.#part = null;
    failpoint('resumable:part-durable');
    try {
      await addPart(database, {
        upload_id: upload.upload_id,
        start_byte: this.receivedBytes,
        size_bytes: size,
        name: part.name,
      });
    } catch (error) {
      // After any other fault the row may still turn up.
      if (error instanceof AppError) await storage.delete(part.key).catch(() => undefined);
      throw error;
    }
    failpoint('resumable:part-counted');
    this.receivedBytes += size;
  }

  async discard(): Promise<void> {
    await this.#part?.file.discard();
  }

  async #begin(): Promise<{ name: string; key: string; file: NewFile }> {
    const { storage, upload } = this.#parts;
    if (this.#count >= maxParts)
      throw new AppError(
        'bad_request',
        `The upload has come in more than ${maxParts} pieces; begin it anew, and send larger ones`,
      );
    this.#count += 1;
    const name = newPartName();
    const key = partKey({ bucketId: upload.bucket_id, uploadId: upload.upload_id }, name);
    return { name, key, file: await storage.create(key) };
  }
}
