// When the sweeps run: what this process may have left aside, at once and every few minutes; all of storage once a day, by one
// of the nodes, and sooner after a start, because what a crash left is old enough by then.
import { sql } from 'kysely';
import type { Database } from '../platform/database/database.ts';
import { statement } from '../platform/database/statement.ts';
import { enqueue, enqueueing, type JobHandler, unclaimed } from '../platform/jobs/jobs.ts';
import type { Log } from '../platform/log.ts';
import type { Stores } from './stores.ts';
import { defaultSweep, sweepOrphans, sweepStaging } from './sweep.ts';
import { sweepVariants } from './sweep-variants.ts';

const kind = 'sweep-orphans';
const key = 'all';
const stagingEveryMs = 300_000;
const orphansAfterStartMs = defaultSweep.orphanMs + 120_000;
const orphansEveryMs = 24 * 3_600_000;

type JanitorParts = { database: Database; stores: Stores; log: Log };

export function janitorHandlers({ database, stores, log }: JanitorParts): Record<typeof kind, JobHandler> {
  return {
    [kind]: {
      async run(_payload: object, { signal }) {
        const removed =
          (await sweepOrphans(database, stores, signal)) + (await sweepVariants(database, stores, signal));
        if (removed > 0) log.info({ removed }, 'removed files that no object names');
        const runAt = database.now() + orphansEveryMs;
        await database.write((tx) => enqueue(tx, [{ kind, key, payload: {}, runAt }]));
      },
      maxAttempts: Number.MAX_SAFE_INTEGER,
    },
  };
}

export class Janitor {
  readonly #parts: JanitorParts;
  #timer: NodeJS.Timeout | null = null;

  constructor(parts: JanitorParts) {
    this.#parts = parts;
  }

  start(): void {
    const { database, stores } = this.#parts;
    const sweep = (): void => this.#try(sweepStaging(database, stores));
    sweep();
    this.#timer = setInterval(sweep, stagingEveryMs).unref();
    this.#try(askForSweep(database, database.now() + orphansAfterStartMs));
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
  }

  #try(work: Promise<void>): void {
    void work.catch((error: unknown) => {
      if (this.#timer) this.#parts.log.warn({ err: error }, 'the sweep failed');
    });
  }
}

/** No later than that: one that is due sooner stays. */
async function askForSweep(database: Database, runAt: number): Promise<void> {
  await database.writeBatch([askOnce({ job_id: `job_${kind}`, now: database.now(), run_at: runAt })]);
}

const askOnce = statement<'job_id' | 'now' | 'run_at'>(
  (p) =>
    sql`${enqueueing(
      sql`select cast(${p('job_id')} as text), ${sql.lit(kind)}, ${sql.lit(key)}, '{}',
      cast(${p('run_at')} as bigint), cast(${p('now')} as bigint), ${unclaimed} where true`,
    )} where jobs.run_at > excluded.run_at`,
);
