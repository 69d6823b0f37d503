// Checksums of the parts of a file, taken while its bytes come, so that nothing is read twice only to be proven.

import { createHash, type Hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { S3Checksum } from './s3-address.ts';

/** What goes with a part, or a whole small file, for the server to compare; as the SDK names it. */
export type ProofOfBytes = { readonly ChecksumCRC32: string } | { readonly ContentMD5: string };

export class PartSums {
  readonly #kind: S3Checksum;
  readonly #partBytes: number;
  readonly #done: ProofOfBytes[] = [];
  #size = 0;
  #crc = 0;
  #md5: Hash | null = null;

  constructor(kind: S3Checksum, partBytes: number) {
    this.#kind = kind;
    this.#partBytes = partBytes;
  }

  add(chunk: Buffer): void {
    let rest = chunk;
    while (rest.length > 0) {
      const room = this.#partBytes - (this.#size % this.#partBytes);
      const piece = rest.subarray(0, room);
      this.#update(piece);
      this.#size += piece.length;
      if (this.#size % this.#partBytes === 0) this.#done.push(this.#finish());
      rest = rest.subarray(piece.length);
    }
  }

  /** Of a part that is full, or of the last one when all has come. */
  of(index: number): ProofOfBytes {
    if (index === this.#done.length) this.#done.push(this.#finish());
    const proof = this.#done[index];
    if (!proof) throw new Error(`Part ${index} is not there yet`);
    return proof;
  }

  #update(piece: Buffer): void {
    if (this.#kind === 'crc32') this.#crc = crc32(piece, this.#crc);
    else (this.#md5 ??= createHash('md5')).update(piece);
  }

  #finish(): ProofOfBytes {
    const crc = this.#crc;
    const md5 = this.#md5 ?? createHash('md5');
    this.#crc = 0;
    this.#md5 = null;
    return this.#kind === 'crc32'
      ? { ChecksumCRC32: base64OfCrc32(crc) }
      : { ContentMD5: md5.digest('base64') };
  }
}

export function proofOf(kind: S3Checksum, bytes: Buffer): ProofOfBytes {
  const sums = new PartSums(kind, Infinity);
  sums.add(bytes);
  return sums.of(0);
}

export function base64OfCrc32(crc: number): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc);
  return bytes.toString('base64');
}
