// Runs the sweeps: staging at once and every few minutes, all of storage once a day, soon after every start, and again
// when what a crash left is old enough to be taken.
import type { Database } from '../platform/database/database.ts';
import type { Log } from '../platform/log.ts';
import type { Stores } from './stores.ts';
import { defaultSweep, sweepOrphans, sweepStaging } from './sweep.ts';

const stagingEveryMs = 300_000;
const orphansAfterMs = [120_000, defaultSweep.orphanMs + 120_000];
const orphansEveryMs = 24 * 3600 * 1000;

export class Janitor {
  readonly #parts: { database: Database; stores: Stores; log: Log };
  readonly #stopping = new AbortController();
  readonly #timers: NodeJS.Timeout[] = [];

  constructor(parts: { database: Database; stores: Stores; log: Log }) {
    this.#parts = parts;
  }

  start(): void {
    const staging = (): void => this.#try(() => sweepStaging(this.#parts.database, this.#parts.stores));
    const orphans = (): void => this.#try(() => this.#sweepOrphans());
    staging();
    this.#timers.push(
      setInterval(staging, stagingEveryMs).unref(),
      ...orphansAfterMs.map((afterMs) => setTimeout(orphans, afterMs).unref()),
      setInterval(orphans, orphansEveryMs).unref(),
    );
  }

  stop(): void {
    for (const timer of this.#timers) clearInterval(timer);
    this.#stopping.abort();
  }

  async #sweepOrphans(): Promise<void> {
    const removed = await sweepOrphans(this.#parts.database, this.#parts.stores, this.#stopping.signal);
    if (removed > 0) this.#parts.log.info({ removed }, 'removed files that no object names');
  }

  #try(work: () => Promise<void>): void {
    void work().catch((error: unknown) => {
      if (!this.#stopping.signal.aborted) this.#parts.log.warn({ err: error }, 'the sweep failed');
    });
  }
}
