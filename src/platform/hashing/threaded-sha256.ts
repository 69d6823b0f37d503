// SHA-256 that a thread computes. A file that one of its slots would hold is hashed here, since to tell the thread of it costs two
// processors together more than it saves one. The first larger file starts the thread; one that died fails the hashes it had, and
// the next file starts another.
import { createHash } from 'node:crypto';
import { AskHashingThread, slotBytes } from './ask-hashing-thread.ts';
import type { Sha256 } from './sha256.ts';

// A slow sender's chunks may be tiny, and each costs far more memory than its bytes.
const maxHeldChunks = 64;

export class ThreadedHashing {
  readonly #file: URL;
  #running: AskHashingThread | null = null;

  constructor(file = new URL('./hashing-thread.ts', import.meta.url)) {
    this.#file = file;
  }

  createSha256(): Sha256 {
    return new ThreadedSha256(() => this.#run());
  }

  #run(): AskHashingThread {
    if (!this.#running || this.#running.fault) this.#running = new AskHashingThread(this.#file);
    return this.#running;
  }
}

class ThreadedSha256 implements Sha256 {
  readonly #run: () => AskHashingThread;
  /** Where the beginning is, and by which name; null as long as everything is here. */
  #there: { thread: AskHashingThread; id: number } | null = null;
  #held: Buffer[] = [];
  #heldBytes = 0;

  constructor(run: () => AskHashingThread) {
    this.#run = run;
  }

  update(chunk: Buffer): Promise<void> | undefined {
    this.#held.push(chunk);
    this.#heldBytes += chunk.length;
    if (this.#held.length >= maxHeldChunks) return this.#handOver(0);
    return this.#heldBytes >= slotBytes ? this.#handOver(slotBytes - 1) : undefined;
  }

  async digest(): Promise<string> {
    if (!this.#there) return digestOf(this.#held);
    if (this.#heldBytes > 0) await this.#handOver(0);
    const { thread, id } = this.#there;
    this.#there = null;
    return thread.digest(id);
  }

  discard(): void {
    this.#held = [];
    this.#heldBytes = 0;
    this.#there?.thread.forget(this.#there.id);
    this.#there = null;
  }

  /** All but `restBytes` at most. */
  async #handOver(restBytes: number): Promise<void> {
    const { thread, id } = (this.#there ??= this.#begin());
    while (this.#heldBytes > restBytes) {
      const slot = thread.freeSlot() ?? (await thread.nextFreeSlot());
      thread.hash(id, slot, this.#fill(thread.bytesOf(slot)));
    }
  }

  #begin(): { thread: AskHashingThread; id: number } {
    const thread = this.#run();
    return { thread, id: thread.newId() };
  }

  #fill(slot: Buffer): number {
    let filled = 0;
    let [first] = this.#held;
    while (first && filled < slot.length) {
      const copied = first.copy(slot, filled);
      filled += copied;
      if (copied === first.length) this.#held.shift();
      else this.#held[0] = first.subarray(copied);
      [first] = this.#held;
    }
    this.#heldBytes -= filled;
    return filled;
  }
}

function digestOf(chunks: readonly Buffer[]): string {
  const direct = createHash('sha256');
  for (const chunk of chunks) direct.update(chunk);
  return direct.digest('hex');
}
