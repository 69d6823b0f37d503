// Remembers which originals cost workers their lives, so that nobody can keep all workers busy by asking for ever new
// sizes of a picture that cannot be rendered.
import { Lru } from '../../lib/lru.ts';
import { AppError } from '../../platform/errors.ts';

const maxKnown = 10_000;
const maxAttempts = 3;
const forgetAfterMs = 600_000;

export class GivenUp {
  readonly #known = new Lru<string, { attempts: number; since: number }>(maxKnown);

  /** Throws 422 for what failed too often in the last minutes. */
  refuse(name: string): void {
    const known = this.#known.get(name);
    if (!known || known.attempts < maxAttempts) return;
    if (Date.now() - known.since > forgetAfterMs) return this.#known.delete(name);
    throw new AppError(
      'undecodable',
      'The picture could not be rendered several times; it is tried again in some minutes',
    );
  }

  note(name: string): void {
    const { attempts = 0, since = Date.now() } = this.#known.get(name) ?? {};
    this.#known.set(name, { attempts: attempts + 1, since });
  }
}
