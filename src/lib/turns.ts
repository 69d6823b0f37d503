// One after another, in the order of asking.

export class Turns {
  #last: Promise<void> = Promise.resolve();

  /** Resolves when everybody who asked before has ended; the result ends this turn, and may be called twice. */
  async take(): Promise<() => void> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = before.then(() => promise);
    await before;
    return resolve;
  }
}
