// Tells the thread what to hash. The bytes are copied into slots of memory that both sides see: nothing is allocated however large a
// file is, and when all slots are full, whoever comes next waits.
import { Worker } from 'node:worker_threads';
import { AppError } from '../errors.ts';
import type { HashOrder, HashReply, HashThreadData } from './hashing-thread.ts';

export const slotBytes = 128 * 1024;
const slots = 16;

type Waiting<T> = { resolve: (value: T) => void; reject: (error: Error) => void };

export class AskHashingThread {
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
