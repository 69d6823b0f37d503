// What must not be cut off half-way when the service stops: a stop may cut connections, but waits until every upload has
// cleaned up after itself.

export class UnderWay {
  readonly #uploads = new Set<Promise<unknown>>();

  follow<T>(upload: Promise<T>): Promise<T> {
    const ended = upload.finally(() => this.#uploads.delete(ended));
    this.#uploads.add(ended);
    return ended;
  }

  async ended(): Promise<void> {
    await Promise.allSettled(this.#uploads);
  }
}
