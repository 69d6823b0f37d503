// Turns at things that have names: of each, one at a time, in the order of asking.
import { Turns } from '../../lib/turns.ts';

export class NamedTurns {
  readonly #byName = new Map<string, { turns: Turns; waiting: number }>();

  /** The result ends the turn. */
  async take(name: string): Promise<() => void> {
    const named = this.#byName.get(name) ?? { turns: new Turns(), waiting: 0 };
    this.#byName.set(name, named);
    named.waiting += 1;
    const end = await named.turns.take();
    return () => {
      end();
      named.waiting -= 1;
      if (named.waiting === 0) this.#byName.delete(name);
    };
  }
}
