// Tells a server that is slow from one that is gone. A call that hears nothing for 600 ms asks for a sign of life on the
// side: while that comes, the call may take its time; when it does not, all that wait give up, and for a moment so do new ones.

import { NoAnswer } from './s3-errors.ts';

export type PulseOptions = {
  /** Resolves with any answer at all, and rejects when there is none. */
  readonly askForSign: (signal: AbortSignal) => Promise<void>;
  readonly silenceMs?: number;
  readonly signWithinMs?: number;
  readonly restMs?: number;
  /** No single call takes longer, whatever else the server does: its connection may be a dead one. */
  readonly patienceMs?: number;
};

const tickMs = 25;
/** Of a longer time between two ticks this much counts: in the rest nothing could be heard. */
const longestTickMs = 150;

export class Pulse {
  readonly #options: Required<PulseOptions>;
  #goneUntil = 0;
  #sign: Promise<boolean> | null = null;

  constructor(options: PulseOptions) {
    this.#options = { silenceMs: 600, signWithinMs: 600, restMs: 1000, patienceMs: 300_000, ...options };
  }

  /** Nobody has to find out again at once what somebody else just has. */
  assertThere(): void {
    if (Date.now() < this.#goneUntil) throw new NoAnswer('The storage did not answer a moment ago');
  }

  noteGone(): void {
    this.#goneUntil = Date.now() + this.#options.restMs;
  }

  /** Runs a call that is aborted when the server shows no sign of life. */
  async watch<Value>(call: (signal: AbortSignal) => Promise<Value>): Promise<Value> {
    const { silenceMs, patienceMs } = this.#options;
    const silence = new AbortController();
    let gone = false;
    let nextSignAt = silenceMs;
    const clock = everyTick((listenedMs) => {
      if (listenedMs >= patienceMs) return silence.abort();
      if (listenedMs < nextSignAt) return;
      nextSignAt = listenedMs + silenceMs;
      void this.#hasSign().then((alive) => {
        if (alive) return;
        gone = true;
        silence.abort();
      });
    });
    try {
      return await call(silence.signal);
    } catch (error) {
      if (!silence.signal.aborted) throw error;
      if (gone) this.noteGone();
      throw new NoAnswer('The storage does not answer', { cause: error });
    } finally {
      clock.stop();
    }
  }

  #hasSign(): Promise<boolean> {
    const tooLate = new AbortController();
    const clock = everyTick((listenedMs) => listenedMs >= this.#options.signWithinMs && tooLate.abort());
    this.#sign ??= this.#options
      .askForSign(tooLate.signal)
      .then(
        () => true,
        () => false,
      )
      .finally(() => (this.#sign = null));
    return this.#sign.finally(() => clock.stop());
  }
}

/**
 * Counts only time in which this process could have heard something: one that is busy itself must not blame others. On a
 * machine that is short of processors every tick is a little late, and that counts, or silence would never be long enough.
 */
function everyTick(look: (listenedMs: number) => unknown): { stop(): void } {
  let listenedMs = 0;
  let lastTick = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    listenedMs += Math.min(now - lastTick, longestTickMs);
    lastTick = now;
    look(listenedMs);
  }, tickMs);
  return { stop: () => clearInterval(timer) };
}
