// Uploads that nobody waits for: a few at once, and no more waiting than a store that is slow may hold back.
const defaultAtOnce = 4;
const defaultMaxWaiting = 200;

export class PublishQueue {
  readonly #atOnce: number;
  readonly #maxWaiting: number;
  readonly #waiting: { key: string; upload: () => Promise<void> }[] = [];
  /** By their keys, also those that wait: asked for twice, a file is sent once. */
  readonly #ends = new Map<string, PromiseWithResolvers<void>>();
  #running = 0;

  constructor({ atOnce = defaultAtOnce, maxWaiting = defaultMaxWaiting } = {}) {
    this.#atOnce = atOnce;
    this.#maxWaiting = maxWaiting;
  }

  /** Resolves when it is done, which must not fail; null when too many wait. */
  add(key: string, upload: () => Promise<void>): Promise<void> | null {
    const known = this.#ends.get(key);
    if (known) return known.promise;
    if (this.#waiting.length >= this.#maxWaiting) return null;
    const end = Promise.withResolvers<void>();
    this.#ends.set(key, end);
    this.#waiting.push({ key, upload });
    this.#startNext();
    return end.promise;
  }

  async settled(): Promise<void> {
    while (this.#ends.size > 0) await Promise.all([...this.#ends.values()].map(({ promise }) => promise));
  }

  #startNext(): void {
    if (this.#running >= this.#atOnce) return;
    const next = this.#waiting.shift();
    if (!next) return;
    this.#running += 1;
    void next.upload().finally(() => {
      this.#running -= 1;
      this.#ends.get(next.key)?.resolve();
      this.#ends.delete(next.key);
      this.#startNext();
    });
  }
}
