// Renders pictures in a few worker processes behind a bounded queue. Long jobs never take the last worker, a worker that
// crashes or exceeds a limit is replaced, and whoever finds the queue full is told so at once.
import { AppError, retryAfter } from '../platform/errors.ts';
import { outcomeError } from './outcome-error.ts';
import type { WorkerLimits } from './watch-worker.ts';
import { startWorkerProcess } from './worker-process.ts';
import type { WorkerOutcome, WorkerProcess } from './worker-process.ts';
import type { RenderResult, RenderTask } from './worker-protocol.ts';

const maxJobsPerWorker = 500;
const maxAttempts = 2;

export type ImageWorkerPoolOptions = WorkerLimits & {
  readonly size: number;
  readonly maxQueued: number;
  readonly idleMs: number;
  readonly log?: { warn(fields: object, message: string): void };
};

export type ImageWorkerPool = {
  render(task: RenderTask, options?: { signal?: AbortSignal }): Promise<RenderResult>;
  stats(): { busy: number; queued: number; workers: number; crashes: number };
  /** Process ids of the workers, for whoever watches or tests them. */
  pids(): number[];
  close(): Promise<void>;
};

type Job = {
  readonly task: RenderTask;
  readonly heavy: boolean;
  attempts: number;
  readonly resolve: (result: RenderResult) => void;
  readonly reject: (error: unknown) => void;
};

type Member = {
  readonly process: WorkerProcess;
  job: Job | null;
  jobsDone: number;
  idleTimer?: NodeJS.Timeout;
};

export function createImageWorkerPool(options: ImageWorkerPoolOptions): ImageWorkerPool {
  const queue: Job[] = [];
  const members = new Set<Member>();
  const maxHeavy = Math.max(1, options.size - 1);
  let crashes = 0;
  let closed = false;

  function dispatch(): void {
    for (;;) {
      const index = queue.findIndex((job) => !job.heavy || heavyJobs() < maxHeavy);
      const member = index === -1 ? undefined : freeMember();
      if (member === undefined) return;
      const [job] = queue.splice(index, 1);
      if (job !== undefined) void work(member, job);
    }
  }

  function heavyJobs(): number {
    return [...members].filter((member) => member.job?.heavy === true).length;
  }

  function freeMember(): Member | undefined {
    const idle = [...members].find((member) => member.job === null);
    if (idle !== undefined || members.size >= options.size) return idle;
    const started: Member = { process: startWorkerProcess(options), job: null, jobsDone: 0 };
    members.add(started);
    void started.process.exited.then(() => members.delete(started));
    return started;
  }

  async function work(member: Member, job: Job): Promise<void> {
    clearTimeout(member.idleTimer);
    member.job = job;
    job.attempts += 1;
    const outcome = await member.process.run(job.task);
    member.job = null;
    member.jobsDone += 1;
    keepOrRetire(member);
    conclude(job, outcome);
    dispatch();
  }

  function keepOrRetire(member: Member): void {
    const worn = member.jobsDone >= maxJobsPerWorker || member.process.rssBytes() > options.maxRssBytes / 2;
    if (worn || !member.process.isAlive()) return retire(member);
    member.idleTimer = setTimeout(() => retire(member), options.idleMs).unref();
  }

  function retire(member: Member): void {
    clearTimeout(member.idleTimer);
    members.delete(member);
    member.process.kill();
  }

  function conclude(job: Job, outcome: WorkerOutcome): void {
    if (outcome.kind === 'rendered') return job.resolve(outcome.result);
    if (closed) return job.reject(new AppError('shutting_down'));
    if (outcome.kind === 'crashed' || outcome.kind === 'not_started') {
      crashes += 1;
      // Whatever killed it may have had nothing to do with this picture.
      if (job.attempts < maxAttempts) return void queue.unshift(job);
    }
    options.log?.warn({ ...outcome, inputPath: job.task.inputPath }, 'rendering failed');
    job.reject(outcomeError(outcome));
  }

  function withdraw(job: Job, reason: unknown): void {
    const index = queue.indexOf(job);
    if (index !== -1) queue.splice(index, 1);
    job.reject(reason);
  }

  return {
    render(task, { signal } = {}) {
      const { promise, resolve, reject } = Promise.withResolvers<RenderResult>();
      if (closed) return Promise.reject(new AppError('shutting_down'));
      if (signal?.aborted) return Promise.reject(signal.reason);
      const job: Job = { task, heavy: task.plan.costClass === 'heavy', attempts: 0, resolve, reject };
      queue.push(job);
      dispatch();
      if (queue.length > options.maxQueued && queue.at(-1) === job) {
        withdraw(
          job,
          new AppError(
            'overloaded',
            'Too many pictures are being rendered; try again in a moment',
            retryAfter(1),
          ),
        );
      }
      const abort = (): void => withdraw(job, signal?.reason);
      signal?.addEventListener('abort', abort, { once: true });
      return promise.finally(() => signal?.removeEventListener('abort', abort));
    },
    stats: () => ({
      busy: [...members].filter((member) => member.job !== null).length,
      queued: queue.length,
      workers: members.size,
      crashes,
    }),
    pids: () => [...members].flatMap((member) => member.process.pid ?? []),
    async close() {
      closed = true;
      for (const job of queue.splice(0)) job.reject(new AppError('shutting_down'));
      const leaving = [...members];
      leaving.forEach(retire);
      await Promise.all(leaving.map((member) => member.process.exited));
    },
  };
}
