// Writes down how far the work on a film is, now and then, and notices when the film is gone.
import type { ObjectRow } from '../objects/tables.ts';
import type { Database } from '../platform/database/database.ts';

const writeEveryMs = 1000;

export class FilmProgress {
  readonly #database: Database;
  readonly #object: ObjectRow;
  readonly #onGone: () => void;
  readonly #timer: NodeJS.Timeout;
  #percent: number;
  #written: number;
  #writing: Promise<void> = Promise.resolve();

  constructor(database: Database, object: ObjectRow, onGone: () => void) {
    this.#database = database;
    this.#object = object;
    this.#onGone = onGone;
    this.#percent = this.#written = object.progress ?? 0;
    this.#timer = setInterval(() => this.#write(), writeEveryMs).unref();
  }

  /** Never falls, and is full only when the film is ready. */
  set(percent: number): void {
    this.#percent = Math.max(this.#percent, Math.min(99, Math.floor(percent)));
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#writing;
  }

  #write(): void {
    if (this.#percent === this.#written) return this.look();
    this.#written = this.#percent;
    this.#writing = this.#database
      .write((tx) =>
        tx
          .updateTable('objects')
          .set({ progress: this.#percent })
          .where('generation', '=', this.#object.generation)
          .where('status', '=', 'processing')
          .executeTakeFirst(),
      )
      .then(({ numUpdatedRows }) => {
        if (numUpdatedRows === 0n) this.#onGone();
      })
      // The next one tries again.
      .catch(() => void (this.#written = -1));
  }

  /** Whether the film is still there. */
  look(): void {
    const query = this.#database.read.selectFrom('objects').select('generation');
    this.#writing = query
      .where('generation', '=', this.#object.generation)
      .executeTakeFirst()
      .then((found) => {
        if (!found) this.#onGone();
      })
      .catch(() => undefined);
  }
}
