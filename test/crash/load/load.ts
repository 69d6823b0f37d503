// Clients that use the service in every way that changes something, several at once, and tell the model what was sent
// and what was answered. They go on until they are stopped or the service is gone.
import {
  deleteOne,
  replace,
  update,
  uploadWithId,
  uploadWithIdAndKey,
  uploadWithKeyOnly,
  uploadWithoutId,
} from './changes.ts';
import { Failed, Gone, LoadContext, type LoadParts, type Work } from './context.ts';
import { keepVariant, peek, view } from './looks.ts';
import { contendForId, deleteSeveral, tagSeveral, uploadTwiceAtOnce } from './races.ts';

const maxAlive = 180;

const weights: readonly (readonly [weight: number, work: Work])[] = [
  [20, uploadWithId],
  [14, uploadWithoutId],
  [8, uploadWithIdAndKey],
  [6, uploadWithKeyOnly],
  [5, uploadTwiceAtOnce],
  [4, contendForId],
  [20, update],
  [14, deleteOne],
  [8, replace],
  [4, tagSeveral],
  [3, deleteSeveral],
  [10, view],
  [5, keepVariant],
  [6, peek],
];
const allWork = weights.flatMap(([weight, work]) => Array<Work>(weight).fill(work));
const makingRoom: readonly Work[] = [deleteOne, deleteSeveral];

export class Load {
  readonly #context: LoadContext;
  readonly #work: readonly Work[];
  #stopped = false;

  constructor(parts: LoadParts, work: readonly Work[] = allWork) {
    this.#context = new LoadContext(parts);
    this.#work = work;
  }

  /** Throws when the service answered what it must not. */
  async run(clients: number): Promise<void> {
    const client = async (): Promise<void> => {
      while (!this.#stopped) await this.#step();
    };
    await Promise.all(Array.from({ length: clients }, client));
  }

  /** So many pieces of work, one after another. */
  async runSteps(steps: number): Promise<void> {
    for (let step = 0; step < steps && !this.#stopped; step++) await this.#step();
  }

  /** Answers of 5xx, where they are allowed. */
  get failures(): number {
    return this.#context.failures;
  }

  stop(): void {
    this.#stopped = true;
  }

  async #step(): Promise<void> {
    const { model, random } = this.#context;
    try {
      await random.pick(model.alive().length > maxAlive ? makingRoom : this.#work)(this.#context);
    } catch (error) {
      if (error instanceof Failed) return;
      this.#stopped = true;
      if (!(error instanceof Gone)) throw error;
    }
  }
}
