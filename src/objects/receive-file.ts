// Streams an uploaded file to its key while it is counted, hashed, recognised and walked: every fault that its bytes
// can have is known when the last one has come, and nothing of it stays in memory.
import { createHash } from 'node:crypto';
import { SNIFF_BYTES, sniffType } from '../lib/sniff-type.ts';
import type { SniffedType } from '../lib/sniffers/sniffed-type.ts';
import {
  createImageWalker,
  type ImageFacts,
  ImageFault,
  type ImageType,
  type ImageWalker,
} from '../lib/walk-image.ts';
import { AppError } from '../platform/errors.ts';
import type { NewOriginal } from './new-original.ts';

export type UploadLimits = { maxImageBytes: number | null; maxVideoBytes: number | null };
export type ReceivedFile = { original: NewOriginal; sizeBytes: number; sha256: string; facts: ImageFacts };

export class FileReceiver {
  readonly #original: NewOriginal;
  readonly #inspector: Inspector;
  readonly #hash = createHash('sha256');

  constructor(original: NewOriginal, limits: UploadLimits) {
    this.#original = original;
    this.#inspector = new Inspector(limits);
  }

  async write(chunk: Buffer): Promise<void> {
    asUploadFault(() => this.#inspector.push(chunk));
    this.#hash.update(chunk);
    await this.#original.file.write(chunk);
  }

  finish(): ReceivedFile {
    const facts = asUploadFault(() => this.#inspector.end());
    const original = this.#original;
    return { original, sizeBytes: original.file.size, sha256: this.#hash.digest('hex'), facts };
  }

  /** Leaves nothing of it. */
  async discard(): Promise<void> {
    await this.#original.file.discard();
  }
}

/** A whole file from one source. Its bytes are gone when this throws. */
export async function receiveFile(
  source: AsyncIterable<Buffer>,
  original: NewOriginal,
  limits: UploadLimits,
): Promise<ReceivedFile> {
  const receiver = new FileReceiver(original, limits);
  try {
    for await (const chunk of source) await receiver.write(chunk);
    return receiver.finish();
  } catch (error) {
    await receiver.discard();
    throw error;
  }
}

function asUploadFault<T>(look: () => T): T {
  try {
    return look();
  } catch (error) {
    throw error instanceof ImageFault ? new AppError('undecodable', error.message) : error;
  }
}

class Inspector {
  readonly #limits: UploadLimits;
  #head: Buffer[] = [];
  #sizeBytes = 0;
  #maxBytes: number | null = null;
  #walker: ImageWalker | null = null;

  constructor(limits: UploadLimits) {
    this.#limits = limits;
  }

  push(chunk: Buffer): void {
    this.#sizeBytes += chunk.length;
    if (!this.#walker) {
      this.#head.push(chunk);
      if (this.#sizeBytes < SNIFF_BYTES) return;
      this.#recognise();
    } else this.#walker.push(chunk);
    if (this.#maxBytes !== null && this.#sizeBytes > this.#maxBytes) throw tooLarge(this.#maxBytes);
  }

  end(): ImageFacts {
    if (this.#sizeBytes === 0) throw new AppError('file_empty');
    if (!this.#walker) this.#recognise();
    return (this.#walker as unknown as ImageWalker).end();
  }

  #recognise(): void {
    const head = this.#head.length === 1 ? (this.#head[0] as Buffer) : Buffer.concat(this.#head);
    this.#head = [];
    const sniffed = sniffType(head);
    if (sniffed.kind !== 'image') throw unsupported(sniffed);
    this.#maxBytes = this.#limits.maxImageBytes;
    this.#walker = createImageWalker(sniffed.type as ImageType);
    this.#walker.push(head);
  }
}

function tooLarge(maxBytes: number): AppError {
  return new AppError('file_too_large', `File too large (maximum ${Math.round(maxBytes / 1024 / 1024)} MB)`);
}

function unsupported(sniffed: SniffedType): AppError {
  if (sniffed.kind === 'video')
    return new AppError('unsupported_type', 'Videos are not supported by this version; upload an image');
  if (/HEI[CF]/.test(sniffed.label)) {
    return new AppError(
      'unsupported_type',
      'HEIC pictures are not supported; convert it to JPEG, PNG, WebP or AVIF and upload that',
    );
  }
  const supported = 'Supported are JPEG, PNG, GIF, WebP and AVIF';
  return new AppError(
    'unsupported_type',
    `This is not a supported image or video but ${sniffed.label}. ${supported}`,
  );
}
