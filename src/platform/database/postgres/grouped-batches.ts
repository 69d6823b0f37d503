// Batches that wait share the next transaction, as they do on SQLite: uploads to one account wait for each other's commit
// anyway, and together they pay for it once. When one of a group is refused or fails, each is run by itself.
import { toAppError } from './failures.ts';
import { Uncertain } from './transaction-ends.ts';
import type { BatchQuery } from './transactions.ts';

/** More would hold their rows for too long. */
const maxTogether = 24;
/** Those of different accounts need not wait for each other. */
const maxGroups = 4;

type Waiting = {
  readonly queries: readonly BatchQuery[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
};

export type CommitBatch = {
  /** Commits all of it or nothing. */
  once(queries: readonly BatchQuery[]): Promise<void>;
  /** The same, again and again while it loses to others. */
  untilItHolds(queries: readonly BatchQuery[]): Promise<void>;
};

export class GroupedBatches {
  readonly #commit: CommitBatch;
  readonly #waiting: Waiting[] = [];
  #running = 0;

  constructor(commit: CommitBatch) {
    this.#commit = commit;
  }

  write(queries: readonly BatchQuery[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ queries, resolve, reject });
      if (this.#running < maxGroups) void this.#drain();
    });
  }

  async #drain(): Promise<void> {
    this.#running += 1;
    while (this.#waiting.length > 0) await this.#writeGroup(this.#waiting.splice(0, maxTogether));
    this.#running -= 1;
  }

  async #writeGroup(group: Waiting[]): Promise<void> {
    if (group.length === 1) return this.#writeAlone(group[0] as Waiting);
    // All in one order, so that no two groups wait for each other's rows.
    group.sort((left, right) => (orderOf(left) < orderOf(right) ? -1 : 1));
    try {
      await this.#commit.once(group.flatMap(({ queries }) => queries));
      for (const { resolve } of group) resolve();
    } catch (error) {
      if (error instanceof Uncertain) for (const { reject } of group) reject(toAppError(error.cause));
      else await Promise.all(group.map((each) => this.#writeAlone(each)));
    }
  }

  async #writeAlone({ queries, resolve, reject }: Waiting): Promise<void> {
    await this.#commit.untilItHolds(queries).then(resolve, reject);
  }
}

/** The first statement of a batch takes what the others hang on. */
function orderOf({ queries }: Waiting): string {
  return JSON.stringify(queries[0]?.values ?? []);
}
