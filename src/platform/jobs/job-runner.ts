// Takes due jobs under a lease, runs their handlers with bounded concurrency, and retries with back-off until they are
// done or dead. When a process dies, the next to start on its host takes its jobs over; elsewhere the leases run out.
import type { Database } from '../database/database.ts';
import { lockingFreeRows } from '../database/locking-rows.ts';
import { failpoint } from '../failpoints.ts';
import type { Log } from '../log.ts';
import { newOwnerName } from '../owner-name.ts';
import type { JobHandler, JobRow } from './jobs.ts';
import { takeOverJobs } from './take-over-jobs.ts';

export type JobRunnerOptions = {
  database: Database;
  handlers: Record<string, JobHandler>;
  log: Log;
  concurrency?: number;
  leaseMs?: number;
  pollMs?: number;
  /** Delay before the next attempt, by the number of attempts made. */
  backOffMs?: (attempts: number) => number;
};

const defaultBackOffMs = (attempts: number): number =>
  Math.min(600_000, 1000 * 2 ** attempts) * (0.75 + Math.random() / 2);

const wakeAfterMs = 20;

/** The runners of this process. */
const owners = new Set<string>();

export class JobRunner {
  readonly #options: Required<JobRunnerOptions>;
  readonly #owner = newOwnerName();
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | null = null;
  #woken: NodeJS.Timeout | null = null;
  #looking: Promise<void> | null = null;

  constructor(options: JobRunnerOptions) {
    this.#options = {
      concurrency: 16,
      leaseMs: 60_000,
      pollMs: options.database.engine === 'sqlite' ? 200 : 1000,
      backOffMs: defaultBackOffMs,
      ...options,
    };
  }

  start(): void {
    owners.add(this.#owner);
    const { database, backOffMs, log, pollMs } = this.#options;
    void takeOverJobs(database, { livingOwners: owners, backOffMs }).catch((error: unknown) =>
      log.warn({ err: error }, 'could not take over the jobs of a process that died'),
    );
    this.#timer = setInterval(() => this.#look(), pollMs).unref();
    database.onNewRows('jobs', () => this.#wake());
  }

  /** Lets running jobs end; what does not end in time is taken over by whoever starts next. */
  async stop(graceMs: number): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
    const deadline = new Promise<void>((resolve) => setTimeout(resolve, graceMs).unref());
    await Promise.race([this.#allEnded(), deadline]);
    this.#stopping.abort();
    owners.delete(this.#owner);
  }

  async #allEnded(): Promise<void> {
    // What is just being claimed is held by us as well.
    await this.#looking;
    await Promise.all(this.#running);
  }

  /** A little later: the database's clock, by which a job is due, is known here to a few milliseconds only. */
  #wake(): void {
    if (!this.#timer || this.#woken) return;
    this.#woken = setTimeout(() => {
      this.#woken = null;
      this.#look();
    }, wakeAfterMs).unref();
  }

  #look(): void {
    const room = this.#options.concurrency - this.#running.size;
    if (!this.#timer || this.#looking || room <= 0 || this.#stopping.signal.aborted) return;
    this.#looking = this.#take(room).finally(() => {
      this.#looking = null;
    });
  }

  async #take(room: number): Promise<void> {
    try {
      for (const job of (await this.#somethingIsDue()) ? await this.#claim(room) : []) this.#follow(job);
    } catch (error) {
      this.#options.log.warn({ err: error }, 'could not look for jobs');
    }
  }

  #follow(job: JobRow): void {
    const done = this.#run(job).finally(() => {
      this.#running.delete(done);
      // Take the next at once while there is work, instead of waiting for the clock.
      if (this.#timer && this.#running.size <= this.#options.concurrency / 2) this.#look();
    });
    this.#running.add(done);
  }

  async #somethingIsDue(): Promise<boolean> {
    const now = this.#options.database.now();
    const due = await this.#options.database.read
      .selectFrom('jobs')
      .select('job_id')
      // Others may run the rest, and be busy.
      .where('kind', 'in', Object.keys(this.#options.handlers))
      .where('dead', '=', 0)
      .where('run_at', '<=', now)
      .where('leased_until', '<=', now)
      .limit(1)
      .execute();
    return due.length > 0;
  }

  async #claim(room: number): Promise<JobRow[]> {
    const now = this.#options.database.now();
    return this.#options.database.write((tx) =>
      tx
        .updateTable('jobs')
        .set((eb) => ({
          leased_by: this.#owner,
          leased_until: now + this.#options.leaseMs,
          attempts: eb('attempts', '+', 1),
        }))
        .where('job_id', 'in', (eb) =>
          lockingFreeRows(
            tx,
            eb
              .selectFrom('jobs')
              .select('job_id')
              .where('kind', 'in', Object.keys(this.#options.handlers))
              .where('dead', '=', 0)
              .where('run_at', '<=', now)
              .where('leased_until', '<=', now)
              .orderBy('run_at')
              .limit(room),
          ),
        )
        .returningAll()
        .execute(),
    );
  }

  async #run(job: JobRow): Promise<void> {
    failpoint('job:claimed');
    const handler = this.#options.handlers[job.kind] as JobHandler;
    const heartbeat = setInterval(
      () => void this.#extend(job).catch(() => undefined),
      this.#options.leaseMs / 3,
    );
    try {
      await handler.run(JSON.parse(job.payload) as never, {
        signal: this.#stopping.signal,
        attempt: job.attempts,
      });
      failpoint('job:done');
      await this.#finish(job);
      failpoint('job:finished');
    } catch (error) {
      if (this.#stopping.signal.aborted) await this.#giveBack(job);
      else await this.#retryOrBury(job, handler.maxAttempts ?? 10, error as Error);
    } finally {
      clearInterval(heartbeat);
    }
  }

  async #extend(job: JobRow): Promise<void> {
    await this.#options.database.write((tx) =>
      tx
        .updateTable('jobs')
        .set({ leased_until: this.#options.database.now() + this.#options.leaseMs })
        .where('job_id', '=', job.job_id)
        .where('leased_by', '=', this.#owner)
        .execute(),
    );
  }

  async #finish(job: JobRow): Promise<void> {
    await this.#options.database.write(async (tx) => {
      const removed = await tx
        .deleteFrom('jobs')
        .where('job_id', '=', job.job_id)
        .where('revision', '=', job.revision)
        .executeTakeFirst();
      if (removed.numDeletedRows > 0n) return;
      await tx
        .updateTable('jobs')
        .set({ leased_by: null, leased_until: 0 })
        .where('job_id', '=', job.job_id)
        .where('leased_by', '=', this.#owner)
        .execute();
    });
  }

  /** Broken off by our own stop: it has not failed, and whoever starts next need not wait. */
  async #giveBack(job: JobRow): Promise<void> {
    await this.#options.database
      .write((tx) =>
        tx
          .updateTable('jobs')
          .set((eb) => ({ leased_by: null, leased_until: 0, attempts: eb('attempts', '-', 1) }))
          .where('job_id', '=', job.job_id)
          .where('leased_by', '=', this.#owner)
          .execute(),
      )
      // The database may be closed by now; then it is taken over at the next start.
      .catch(() => undefined);
  }

  async #retryOrBury(job: JobRow, maxAttempts: number, error: Error): Promise<void> {
    const dead = job.attempts >= maxAttempts;
    this.#options.log[dead ? 'error' : 'warn'](
      { err: error, kind: job.kind, key: job.key, attempt: job.attempts, dead },
      'job failed',
    );
    const later = this.#options.database.now() + this.#options.backOffMs(job.attempts);
    await this.#options.database
      .write((tx) =>
        tx
          .updateTable('jobs')
          .set((eb) => ({
            leased_by: null,
            leased_until: 0,
            // Asked for again meanwhile: its renewed time and count stand.
            run_at: eb.case().when('revision', '=', job.revision).then(later).else(eb.ref('run_at')).end(),
            dead: eb
              .case()
              .when('revision', '=', job.revision)
              .then(dead ? 1 : 0)
              .else(0)
              .end(),
            last_error: String(error.message).slice(0, 500),
          }))
          .where('job_id', '=', job.job_id)
          .where('leased_by', '=', this.#owner)
          .execute(),
      )
      // Not told: the lease runs out and the job runs again, which handlers must bear anyway.
      .catch((failure: unknown) =>
        this.#options.log.warn({ err: failure, kind: job.kind }, 'could not record a failed job'),
      );
  }
}
