// Lets many who ask for the same thing at once share one piece of work. Nothing is kept once the work is done.

export class SingleFlight<Value> {
  readonly #running = new Map<string, Promise<Value>>();

  isRunning(key: string): boolean {
    return this.#running.has(key);
  }

  run(key: string, work: () => Promise<Value>): Promise<Value> {
    const shared = this.#running.get(key);
    if (shared !== undefined) return shared;
    const started = work().finally(() => this.#running.delete(key));
    this.#running.set(key, started);
    return started;
  }
}
