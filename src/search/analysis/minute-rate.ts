// How many pictures of an account may still be begun in this minute: its provider bills or limits by the minute.

const windowMs = 60_000;

type Window = { beganAt: number; taken: number };

export class MinuteRate {
  readonly #perMinute: number;
  /** By account: when the window began, and how many were begun in it. */
  readonly #windows = new Map<string, Window>();

  constructor(perMinute: number) {
    this.#perMinute = perMinute;
  }

  left(accountId: string, now = Date.now()): number {
    const window = this.#windows.get(accountId);
    if (!window || isOver(window, now)) return this.#perMinute;
    return this.#perMinute - window.taken;
  }

  take(accountId: string, now = Date.now()): void {
    const window = this.#windows.get(accountId);
    if (window && !isOver(window, now)) window.taken += 1;
    else this.#windows.set(accountId, { beganAt: now, taken: 1 });
    if (this.#windows.size > 10_000) this.#forgetOld(now);
  }

  /** When there is room again; at once where there is some. */
  nextAt(accountId: string, now = Date.now()): number {
    const window = this.#windows.get(accountId);
    return window && this.left(accountId, now) <= 0 ? window.beganAt + windowMs : 0;
  }

  #forgetOld(now: number): void {
    for (const [accountId, window] of this.#windows) if (isOver(window, now)) this.#windows.delete(accountId);
  }
}

/** Also when the clock was put back: otherwise nothing would be begun until it is that late again. */
function isOver({ beganAt }: Window, now: number): boolean {
  return now < beganAt || beganAt + windowMs <= now;
}
