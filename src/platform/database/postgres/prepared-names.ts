// Which statements are prepared, so that the server plans them once in each session and not every time: those that are run
// often. There are few of them; texts that differ with the number of their values could be many, and are left alone.
import { createHash } from 'node:crypto';

const oftenIs = 10;
const maxPrepared = 300;
const maxCounted = 2000;

export class PreparedNames {
  readonly #names = new Map<string, string>();
  #counts = new Map<string, number>();

  nameOf(text: string): string | undefined {
    const name = this.#names.get(text);
    if (name !== undefined || this.#names.size >= maxPrepared) return name;
    const count = (this.#counts.get(text) ?? 0) + 1;
    if (count < oftenIs) {
      if (this.#counts.size >= maxCounted) this.#counts = new Map();
      this.#counts.set(text, count);
      return undefined;
    }
    this.#counts.delete(text);
    const made = `tintype_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;
    this.#names.set(text, made);
    return made;
  }
}
