// Says in the log that we are too busy: at once, then how often every few seconds, since a line for each would be a flood
// of its own.
import type { Log } from '../platform/log.ts';

const everyMs = 10_000;

export class Refusals {
  readonly #log: Pick<Log, 'warn'>;
  readonly #everyMs: number;
  #sinceLast = 0;
  #isWaiting = false;

  constructor(log: Pick<Log, 'warn'>, options: { everyMs?: number } = {}) {
    this.#log = log;
    this.#everyMs = options.everyMs ?? everyMs;
  }

  note(): void {
    this.#sinceLast += 1;
    if (!this.#isWaiting) this.#say();
  }

  #say(): void {
    this.#log.warn({ refused: this.#sinceLast }, 'too busy to render; answered 503');
    this.#sinceLast = 0;
    this.#isWaiting = true;
    setTimeout(() => {
      this.#isWaiting = false;
      if (this.#sinceLast > 0) this.#say();
    }, this.#everyMs).unref();
  }
}
