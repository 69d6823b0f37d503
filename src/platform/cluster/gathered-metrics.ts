// The metrics of several processes as if they were one. What a process had counted is kept when it ends, so that sums
// never go back.
import { withinTime } from '../../lib/within-time.ts';
import { addSnapshots, countersOf, type Snapshot } from '../metrics.ts';

const maxWaitMs = 1000;

export type Gathered = { readonly pid: number; readonly snapshot: () => Promise<Snapshot> };

export class GatheredMetrics {
  readonly #latest = new Map<number, Snapshot>();
  #ended: Promise<Snapshot> = Promise.resolve([]);

  async text(processes: readonly Gathered[]): Promise<string> {
    await Promise.all(
      processes.map(async ({ pid, snapshot }) => {
        const taken = await withinTime(snapshot(), maxWaitMs);
        if (taken) this.#latest.set(pid, taken);
      }),
    );
    const ended = await this.#sumOfEnded();
    return addSnapshots([...this.#latest.values(), ended]).metrics();
  }

  ended(pid: number): void {
    const last = this.#latest.get(pid);
    this.#latest.delete(pid);
    if (!last) return;
    this.#ended = this.#ended.then((sum) => addSnapshots([sum, countersOf(last)]).getMetricsAsJSON());
  }

  /** Of all that are no longer among the latest, also those that ended while it was added up. */
  async #sumOfEnded(): Promise<Snapshot> {
    for (;;) {
      const adding = this.#ended;
      const sum = await adding;
      if (adding === this.#ended) return sum;
    }
  }
}
