// Streams an uploaded file to its key while it is counted, hashed, recognised and walked: every fault that its bytes
// can have is known when the last one has come, and nothing of it stays in memory. What a film holds is found out later,
// by a decoder in a process of its own.
import { SNIFF_BYTES, sniffType } from '../../lib/sniff-type.ts';
import { unsupportedType } from '../../lib/unsupported-type.ts';
import {
  createImageWalker,
  type ImageFacts,
  ImageFault,
  type ImageType,
  type ImageWalker,
} from '../../lib/walk-image.ts';
import { AppError } from '../../platform/errors.ts';
import { createSha256 } from '../../platform/hashing/sha256.ts';
import type { NewOriginal } from './new-original.ts';

export type UploadLimits = { maxImageBytes: number | null; maxVideoBytes: number | null };
export type ReceivedContent =
  | { readonly kind: 'image'; readonly facts: ImageFacts }
  | { readonly kind: 'video'; readonly type: string };
export type ReceivedFile = {
  original: NewOriginal;
  sizeBytes: number;
  sha256: string;
  content: ReceivedContent;
};

export class FileReceiver {
  readonly #original: NewOriginal;
  readonly #inspector: Inspector;
  readonly #hash = createSha256();

  constructor(original: NewOriginal, limits: UploadLimits) {
    this.#original = original;
    this.#inspector = new Inspector(limits);
  }

  async write(chunk: Buffer): Promise<void> {
    asUploadFault(() => this.#inspector.push(chunk));
    const hashed = this.#hash.update(chunk);
    if (hashed) await hashed;
    await this.#original.file.write(chunk);
  }

  async finish(): Promise<ReceivedFile> {
    const content = asUploadFault(() => this.#inspector.end());
    const original = this.#original;
    return { original, sizeBytes: original.file.size, sha256: await this.#hash.digest(), content };
  }

  /** Leaves nothing of it. */
  async discard(): Promise<void> {
    this.#hash.discard();
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
    return await receiver.finish();
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
  #filmType: string | null = null;

  constructor(limits: UploadLimits) {
    this.#limits = limits;
  }

  push(chunk: Buffer): void {
    this.#sizeBytes += chunk.length;
    if (this.#walker) this.#walker.push(chunk);
    else if (this.#filmType === null) {
      this.#head.push(chunk);
      if (this.#sizeBytes < SNIFF_BYTES) return;
      this.#recognise();
    }
    if (this.#maxBytes !== null && this.#sizeBytes > this.#maxBytes) throw tooLarge(this.#maxBytes);
  }

  end(): ReceivedContent {
    if (this.#sizeBytes === 0) throw new AppError('file_empty');
    if (this.#head.length > 0) this.#recognise();
    if (this.#filmType !== null) return { kind: 'video', type: this.#filmType };
    return { kind: 'image', facts: (this.#walker as ImageWalker).end() };
  }

  #recognise(): void {
    const head = this.#head.length === 1 ? (this.#head[0] as Buffer) : Buffer.concat(this.#head);
    this.#head = [];
    const sniffed = sniffType(head);
    if (sniffed.kind === 'refused') throw new AppError('unsupported_type', unsupportedType(sniffed));
    if (sniffed.kind === 'video') {
      this.#maxBytes = this.#limits.maxVideoBytes;
      this.#filmType = sniffed.type;
      return;
    }
    this.#maxBytes = this.#limits.maxImageBytes;
    this.#walker = createImageWalker(sniffed.type as ImageType);
    this.#walker.push(head);
  }
}

export function tooLarge(maxBytes: number): AppError {
  const megabytes = maxBytes / 1024 / 1024;
  const shown = Number.isInteger(megabytes) ? `${megabytes} MB` : `${maxBytes} bytes`;
  return new AppError('file_too_large', `File too large (maximum ${shown})`);
}
