// One well-behaved client that asks for one thing after another on one connection, and how long each answer took.
import assert from 'node:assert/strict';
import { Agent, get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

const pauseMs = 2;

export class GoodRequests {
  readonly #urls: readonly string[];
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  #tookMs: number[] = [];
  #isStopped = false;
  #running: Promise<void> | undefined;

  constructor(urls: readonly string[]) {
    this.#urls = urls;
  }

  start(): void {
    this.#tookMs = [];
    this.#isStopped = false;
    this.#running = this.#run();
  }

  /** How long each took, sorted. Throws when one was not answered with 200. */
  async stop(): Promise<number[]> {
    this.#isStopped = true;
    await this.#running;
    return this.#tookMs.toSorted((left, right) => left - right);
  }

  close(): void {
    this.#isStopped = true;
    this.#agent.destroy();
  }

  async #run(): Promise<void> {
    for (let count = 0; !this.#isStopped; count += 1) {
      const url = this.#urls[count % this.#urls.length] as string;
      const startedAt = performance.now();
      const status = await this.#ask(url);
      this.#tookMs.push(performance.now() - startedAt);
      assert.equal(status, 200, url);
      await pause(pauseMs);
    }
  }

  #ask(url: string): Promise<number | undefined> {
    return new Promise((resolve, reject) => {
      const request = get(url, { agent: this.#agent }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode));
        response.on('error', reject);
      });
      request.on('error', reject);
    });
  }
}

export function percentile(sorted: readonly number[], share: number): number {
  const place = Math.min(sorted.length - 1, Math.floor(sorted.length * share));
  return sorted[place] ?? Number.NaN;
}
