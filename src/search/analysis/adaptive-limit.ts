// How many calls a provider can bear at once, found by trying: more while they succeed, half when it says or shows that
// they are too many. A laptop may caption one picture at a time, a service elsewhere hundreds.

const first = 2;
const most = 32;

export class AdaptiveLimit {
  #limit = first;
  /** Calls that began before a cut say nothing about what came after. */
  #cutAt = 0;

  get current(): number {
    return Math.floor(this.#limit);
  }

  startAnew(): void {
    this.#limit = 1;
  }

  succeeded(): void {
    this.#limit = Math.min(most, this.#limit + 1);
  }

  tooMany(begunAt: number, now = performance.now()): void {
    if (begunAt < this.#cutAt) return;
    this.#cutAt = now;
    this.#limit = Math.max(1, this.#limit / 2);
  }
}
