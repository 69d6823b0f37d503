// Durable background work: rows written in the transaction of their cause, so nothing is ever "done after the response"
// in memory alone. One row per kind and key: asking again for work that already waits only moves it forward.
import { type RawBuilder, type Selectable, sql } from 'kysely';
import { randomHex } from '../random.ts';
import type { Migration, Tx } from '../database/database.ts';
import { runStatements, type Statement, statement } from '../database/statement.ts';

export type JobTable = {
  job_id: string;
  kind: string;
  /** What the work is about; with the kind it names the row. */
  key: string;
  payload: string;
  run_at: number;
  /** Rises when the work is asked for again while it runs: then it runs once more. */
  revision: number;
  attempts: number;
  leased_by: string | null;
  leased_until: number;
  dead: number;
  last_error: string | null;
  created_at: number;
};
export type JobRow = Selectable<JobTable>;

declare module '../database/database.ts' {
  interface Tables {
    jobs: JobTable;
  }
}

export type JobHandler = {
  /** Must be safe to run again: a job may run twice when its process dies between the work and the word of it. */
  run(payload: never, context: { signal: AbortSignal; attempt: number }): Promise<void>;
  maxAttempts?: number;
};

export type Job = { kind: string; key: string; payload: unknown; runAt?: number };

export const jobMigrations: Migration[] = [
  {
    name: '0001-jobs',
    async up(tx) {
      await tx.schema
        .createTable('jobs')
        .addColumn('job_id', 'text', (column) => column.primaryKey())
        .addColumn('kind', 'text', (column) => column.notNull())
        .addColumn('key', 'text', (column) => column.notNull())
        .addColumn('payload', 'text', (column) => column.notNull())
        .addColumn('run_at', 'bigint', (column) => column.notNull())
        .addColumn('revision', 'bigint', (column) => column.notNull())
        .addColumn('attempts', 'bigint', (column) => column.notNull())
        .addColumn('leased_by', 'text')
        .addColumn('leased_until', 'bigint', (column) => column.notNull())
        .addColumn('dead', 'bigint', (column) => column.notNull())
        .addColumn('last_error', 'text')
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addUniqueConstraint('jobs_kind_key', ['kind', 'key'])
        .execute();
      await tx.schema.createIndex('jobs_due').on('jobs').columns(['dead', 'run_at']).execute();
    },
  },
];

/** Enqueues in the caller's transaction. A waiting or dead job of the same kind and key is renewed instead. */
export async function enqueue(tx: Tx, jobs: readonly Job[]): Promise<void> {
  await runStatements(tx, jobs.map(enqueueStatement));
}

export function enqueueStatement({ kind, key, payload, runAt }: Job): Statement {
  const now = Date.now();
  return insertOrRenew({
    // In the order of time, so that new rows lie side by side in the index.
    job_id: `job_${now.toString(16).padStart(12, '0')}${randomHex(6)}`,
    kind,
    key,
    payload: JSON.stringify(payload),
    run_at: runAt ?? null,
    created_at: now,
  });
}

/** The rest of the row of a job that nobody has claimed yet. */
export const unclaimed = sql`1, 0, null, 0, 0, null`;

/** Enqueues what `rows`, values or a select, gives: id, kind, key, payload, time to run, time of making, `unclaimed`. */
export function enqueueing(rows: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`insert into jobs
      (job_id, kind, key, payload, run_at, created_at, revision, attempts, leased_by, leased_until, dead, last_error)
    ${rows}
    on conflict (kind, key) do update set
      payload = excluded.payload, run_at = excluded.run_at, revision = jobs.revision + 1, attempts = 0, dead = 0`;
}

const insertOrRenew = statement<'job_id' | 'kind' | 'key' | 'payload' | 'run_at' | 'created_at'>((p) =>
  enqueueing(
    sql`values (${p('job_id')}, ${p('kind')}, ${p('key')}, ${p('payload')}, coalesce(cast(${p('run_at')} as bigint), clock_ms()), ${p('created_at')}, ${unclaimed})`,
  ),
);
