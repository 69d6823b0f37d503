// A well-behaved client of two services, and how long each answer took that it got. One of them is attacked; the other
// tells what the machine would have given at the same moment.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Asked, Order } from './good-requests-thread.ts';

/** Milliseconds, sorted. */
export type Took = { attacked: number[]; beside: number[] };

export class GoodRequests {
  readonly #thread: Worker;

  constructor({ attacked, beside }: { attacked: readonly string[]; beside: readonly string[] }) {
    this.#thread = new Worker(new URL('./good-requests-thread.ts', import.meta.url), {
      workerData: [attacked, beside],
    });
  }

  start(): void {
    this.#order('start');
  }

  /** Throws when one was not answered with 200. */
  async stop(): Promise<Took> {
    this.#order('stop');
    const [[attacked, beside]] = (await once(this.#thread, 'message')) as [[Asked[], Asked[]]];
    return { attacked: sortedTimes(attacked), beside: sortedTimes(beside) };
  }

  async close(): Promise<void> {
    await this.#thread.terminate();
  }

  #order(order: Order): void {
    this.#thread.postMessage(order);
  }
}

function sortedTimes(asked: readonly Asked[]): number[] {
  for (const { status, url } of asked) assert.equal(status, 200, url);
  return asked.map(({ tookMs }) => tookMs).toSorted((left, right) => left - right);
}

export function percentile(sorted: readonly number[], share: number): number {
  const place = Math.min(sorted.length - 1, Math.floor(sorted.length * share));
  return sorted[place] ?? Number.NaN;
}
