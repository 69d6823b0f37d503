// Lets a walker be written as straight code over a stream: it is a generator that pauses whenever the bytes at hand are
// used up. Nothing is kept but the current chunk and what one take() asks for.
import { Buffer } from 'node:buffer';
import { truncated } from './image-fault.ts';

/** A bare yield means: go on when there are more bytes, or when there are none left. */
export type Walk<T> = Generator<undefined, T, undefined>;

export class ByteReader {
  #chunk: Buffer = Buffer.alloc(0);
  #at = 0;
  #before = 0;
  #ended = false;

  /** The walker must have paused, which it only does when the last chunk is used up. */
  feed(chunk: Buffer): void {
    this.#before += this.#chunk.length;
    this.#chunk = chunk;
    this.#at = 0;
  }

  end(): void {
    this.#ended = true;
  }

  get position(): number {
    return this.#before + this.#at;
  }

  get available(): number {
    return this.#chunk.length - this.#at;
  }

  /** The next byte; only when one is available. For the hot loops, which take() would slow down. */
  nextByte(): number {
    return this.#chunk[this.#at++]!;
  }

  /** Skips what is available, at most `count`, and says how much that was. */
  skipAvailable(count: number): number {
    const skipped = Math.min(count, this.available);
    this.#at += skipped;
    return skipped;
  }

  /**
   * Moves behind the next such byte, but for those with a successor that is passed over. False: there is none in what was
   * available, all of which is now skipped.
   */
  skipPast(byte: number, isPassedOver: (successor: number) => boolean): boolean {
    const chunk = this.#chunk;
    const last = chunk.length - 1;
    let found = chunk.indexOf(byte, this.#at);
    while (found !== -1 && found < last && isPassedOver(chunk[found + 1]!))
      found = chunk.indexOf(byte, found + 2);
    this.#at = found === -1 ? chunk.length : found + 1;
    return found !== -1;
  }

  *atEnd(): Walk<boolean> {
    while (this.available === 0) {
      if (this.#ended) return true;
      yield;
    }
    return false;
  }

  /** Waits for at least one byte. */
  *more(): Walk<void> {
    if (yield* this.atEnd()) throw truncated();
  }

  *byte(): Walk<number> {
    if (this.available === 0) yield* this.more();
    return this.nextByte();
  }

  /** The next bytes in one piece, valid until the walker pauses again. The caller bounds `count`. */
  *take(count: number): Walk<Buffer> {
    const taken = yield* this.tryTake(count);
    if (taken === undefined) throw truncated();
    return taken;
  }

  /** Like take(), but undefined when the stream ends first. */
  *tryTake(count: number): Walk<Buffer | undefined> {
    if (this.available >= count) {
      this.#at += count;
      return this.#chunk.subarray(this.#at - count, this.#at);
    }
    const collected = Buffer.allocUnsafe(count);
    let filled = 0;
    while (filled < count) {
      if (yield* this.atEnd()) return undefined;
      const copied = this.#chunk.copy(collected, filled, this.#at, this.#at + count - filled);
      this.#at += copied;
      filled += copied;
    }
    return collected;
  }

  *skip(count: number): Walk<void> {
    let left = count - this.skipAvailable(count);
    while (left > 0) {
      yield* this.more();
      left -= this.skipAvailable(left);
    }
  }

  *skipTo(position: number): Walk<void> {
    yield* this.skip(position - this.position);
  }
}
