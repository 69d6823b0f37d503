// Keeps what was used last, up to a total weight. A Map remembers insertion order, which is all it takes.

export class Lru<K, V> {
  readonly #entries = new Map<K, { value: V; weight: number; movedAt: number }>();
  readonly #maxWeight: number;
  #weight = 0;
  #additions = 0;

  constructor(maxWeight: number) {
    this.#maxWeight = maxWeight;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    // Among those used since the last addition none is in danger: a look-up is cheaper than a move.
    if (entry.movedAt !== this.#additions) {
      entry.movedAt = this.#additions;
      this.#entries.delete(key);
      this.#entries.set(key, entry);
    }
    return entry.value;
  }

  set(key: K, value: V, weight = 1): void {
    this.delete(key);
    if (weight > this.#maxWeight) return;
    this.#additions += 1;
    this.#entries.set(key, { value, weight, movedAt: this.#additions });
    this.#weight += weight;
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= this.#maxWeight) break;
      this.delete(oldest);
    }
  }

  delete(key: K): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    this.#weight -= entry.weight;
  }

  *values(): IterableIterator<V> {
    for (const { value } of this.#entries.values()) yield value;
  }

  get weight(): number {
    return this.#weight;
  }
}
