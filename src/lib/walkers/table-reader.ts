// Reads big-endian fields out of a small buffer whose counts and lengths are not to be trusted.
import type { Buffer } from 'node:buffer';
import { readUInt64 } from './avif-box.ts';
import { corrupt } from './image-fault.ts';

export class TableReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  /** A whole number of 0, 1, 2, 4 or 8 bytes. */
  uint(bytes: number): number {
    if (bytes > this.left) throw corrupt('a table ends too early');
    const at = this.#at;
    this.#at += bytes;
    if (bytes === 0) return 0;
    return bytes === 8 ? readUInt64(this.#bytes, at) : this.#bytes.readUIntBE(at, bytes);
  }

  int32(): number {
    return this.uint(4) | 0;
  }

  text(bytes: number): string {
    if (bytes > this.left) throw corrupt('a table ends too early');
    this.#at += bytes;
    return this.#bytes.toString('latin1', this.#at - bytes, this.#at);
  }

  /** The version and the flags most tables start with. */
  versionAndFlags(): { version: number; flags: number } {
    return { version: this.uint(1), flags: this.uint(1) * 65_536 + this.uint(2) };
  }

  /** The next box within this table: its type and a reader of its content. */
  innerBox(): { type: string; content: TableReader } {
    const size = this.uint(4);
    const type = this.text(4);
    if (size < 8 || size - 8 > this.left) throw corrupt('a box is longer than what holds it');
    this.#at += size - 8;
    return { type, content: new TableReader(this.#bytes.subarray(this.#at - (size - 8), this.#at)) };
  }
}
