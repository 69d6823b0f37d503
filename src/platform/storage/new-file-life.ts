// The life of a new file, wherever it goes: one call at a time, until it is committed or discarded. Whatever goes wrong on
// the way, what was written is gone before the caller hears of it.

type Ends = {
  /** Takes away what was written. Must not fail. */
  readonly remove: () => Promise<void>;
  readonly toError: (error: unknown) => unknown;
};

export class NewFileLife {
  readonly #ends: Ends;
  #finished: 'committed' | 'discarded' | undefined;
  #lastCall: Promise<unknown> = Promise.resolve();

  constructor(ends: Ends) {
    this.#ends = ends;
  }

  attempt<T>(action: () => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      try {
        if (this.#finished) throw new Error(`The file was already ${this.#finished}`);
        return await action();
      } catch (error) {
        await this.#discard();
        throw this.#ends.toError(error);
      }
    });
  }

  /** From within an attempt. */
  committed(): void {
    this.#finished = 'committed';
  }

  discard(): Promise<void> {
    return this.#inTurn(() => this.#discard());
  }

  /** A request that breaks off discards while a write is still under way; the descriptor must not close under it. */
  #inTurn<T>(action: () => Promise<T>): Promise<T> {
    const result = this.#lastCall.then(action);
    this.#lastCall = result.catch(() => undefined);
    return result;
  }

  async #discard(): Promise<void> {
    if (this.#finished) return;
    this.#finished = 'discarded';
    await this.#ends.remove();
  }
}
