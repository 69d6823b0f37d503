// What was announced within the last moment, and since when we hear everything: so that whoever depends on it can wait
// until nobody acts on what was true before. A process that has not been proven to hear for so long doubts all it knows.
import { setTimeout as sleep } from 'node:timers/promises';

/** How old what a process has heard may be, before it doubts what it knows. */
export const maxUnheardMs = 1000;
/** For answers that were begun just before. */
const marginMs = 200;
const remembersMs = maxUnheardMs + marginMs;

export class RecentWord {
  /** In the order of hearing. */
  readonly #heardAt = new Map<string, number>();
  #hearsSince = performance.now();

  /** Something may have been missed until now. */
  startAnew(): void {
    this.#hearsSince = performance.now();
  }

  note(topic: string, key: string): void {
    const name = nameOf(topic, key);
    this.#heardAt.delete(name);
    this.#heardAt.set(name, performance.now());
    for (const [oldest, heardAt] of this.#heardAt) {
      if (performance.now() - heardAt < remembersMs) return;
      this.#heardAt.delete(oldest);
    }
  }

  /** Whoever asks must have heard all that was committed. */
  async isEveryones(topic: string, key: string): Promise<void> {
    const heardAt = Math.max(this.#heardAt.get(nameOf(topic, key)) ?? -Infinity, this.#hearsSince);
    const left = heardAt + remembersMs - performance.now();
    if (left > 0) await sleep(left);
  }
}

function nameOf(topic: string, key: string): string {
  return `${topic} ${key}`;
}
