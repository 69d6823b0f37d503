// Has SHA-256 computed by a thread. What it is to hash is copied into slots of memory that both sides see: nothing is allocated
// however large a file is, and when all slots are full, whoever comes next waits. A file that one slot would hold is hashed here,
// since to tell the thread of it costs two processors together more than it saves one. The first larger file starts the thread; one that
// died fails the hashes it had, and the next file starts another.
import { createHash } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { AppError } from '../errors.ts';
import type { HashOrder, HashReply, HashThreadData } from './hash-in-thread.ts';
import type { Sha256 } from './sha256.ts';

const slotBytes = 128 * 1024;
const slots = 16;
// A slow sender's chunks may be tiny, and each costs far more memory than its bytes.
const maxHeldChunks = 64;

export class HashingThread {
  readonly #file: URL;
  #running: RunningThread | null = null;

  constructor(file = new URL('./hash-in-thread.ts', import.meta.url)) {
    this.#file = file;
  }

  createSha256(): Sha256 {
    return new ThreadedSha256(() => this.#run());
  }

  #run(): RunningThread {
    if (!this.#running || this.#running.fault) this.#running = new RunningThread(this.#file);
    return this.#running;
  }
}

class ThreadedSha256 implements Sha256 {
  readonly #run: () => RunningThread;
  /** Where the beginning is, and by which name; null as long as everything is here. */
  #there: { thread: RunningThread; id: number } | null = null;
  #held: Buffer[] = [];
  #heldBytes = 0;

  constructor(run: () => RunningThread) {
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

  #begin(): { thread: RunningThread; id: number } {
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

type Waiting<T> = { resolve: (value: T) => void; reject: (error: Error) => void };

class RunningThread {
  fault: Error | null = null;
  readonly #thread: Worker;
  readonly #memory = new SharedArrayBuffer(slots * slotBytes);
  readonly #free = Array.from({ length: slots }, (_, slot) => slot);
  readonly #waitingForSlot: Waiting<number>[] = [];
  readonly #digests = new Map<number, Waiting<string>>();
  #orders: HashOrder[] = [];
  #nextId = 1;

  constructor(file: URL) {
    const workerData: HashThreadData = { memory: this.#memory, slotBytes };
    this.#thread = new Worker(file, { workerData });
    this.#thread.unref();
    this.#thread.on('message', (reply: HashReply | object) => {
      // Under --watch, Node tells on the same port which files the thread has loaded.
      if ('digests' in reply) this.#settle(reply);
    });
    this.#thread.on('error', (error) => this.#fail(error));
    this.#thread.on('exit', () => this.#fail(new Error('The hashing thread has ended')));
  }

  newId(): number {
    return this.#nextId++;
  }

  bytesOf(slot: number): Buffer {
    return Buffer.from(this.#memory, slot * slotBytes, slotBytes);
  }

  freeSlot(): number | undefined {
    if (this.fault) throw this.fault;
    return this.#free.pop();
  }

  nextFreeSlot(): Promise<number> {
    return new Promise((resolve, reject) => this.#waitingForSlot.push({ resolve, reject }));
  }

  hash(id: number, slot: number, bytes: number): void {
    this.#send({ id, slot, bytes });
  }

  digest(id: number): Promise<string> {
    if (this.fault) return Promise.reject(this.fault);
    return new Promise((resolve, reject) => {
      this.#digests.set(id, { resolve, reject });
      this.#send({ id, end: 'digest' });
    });
  }

  forget(id: number): void {
    this.#send({ id, end: 'forget' });
  }

  #send(order: HashOrder): void {
    // Next tick comes when no promise is left to run: waking the thread costs more than most of what it is told.
    if (this.#orders.push(order) === 1) process.nextTick(() => this.#post());
  }

  #post(): void {
    const orders = this.#orders;
    this.#orders = [];
    this.#thread.ref();
    this.#thread.postMessage(orders);
  }

  #settle({ freed, digests }: HashReply): void {
    for (const slot of freed) {
      const next = this.#waitingForSlot.shift();
      if (next) next.resolve(slot);
      else this.#free.push(slot);
    }
    for (const [id, digest] of digests) {
      this.#digests.get(id)?.resolve(digest);
      this.#digests.delete(id);
    }
    if (this.#free.length === slots && this.#digests.size === 0) this.#thread.unref();
  }

  #fail(cause: Error): void {
    this.fault ??= new AppError('internal', undefined, { cause });
    const waiting = [...this.#waitingForSlot.splice(0), ...this.#digests.values()];
    this.#digests.clear();
    for (const { reject } of waiting) reject(this.fault);
  }
}
