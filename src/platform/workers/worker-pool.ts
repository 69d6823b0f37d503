// Runs tasks in a few killable processes behind a bounded queue. Long tasks never take the last worker, what nobody waits
// for yields to what somebody does, a worker that crashes or exceeds a limit is replaced, and whoever finds the queue
// full is told so at once.
import { AppError, retryAfter } from '../errors.ts';
import type { WorkerLimits } from './watch-worker.ts';
import { startWorkerProcess } from './worker-process.ts';
import type { Progress, WorkerFailure, WorkerKind, WorkerProcess } from './worker-process.ts';

const maxTasksPerWorker = 500;
const maxAttempts = 2;

export type WorkerPoolOptions<Task> = WorkerLimits &
  WorkerKind<Task> & {
    readonly size: number;
    readonly maxQueued: number;
    readonly idleMs: number;
    /** Said to whoever finds the queue full. */
    readonly fullMessage: string;
  };

export type RunOptions = {
  /** A long task. */
  readonly heavy?: boolean;
  /** Nobody waits for it: it begins when nothing else waits, and is never refused. */
  readonly background?: boolean;
  /** Takes the task out of the queue, or ends the worker that has it: the rejection comes when that is gone. */
  readonly signal?: AbortSignal | undefined;
  /** Instead of those of the pool. */
  readonly limits?: WorkerLimits | undefined;
  readonly onProgress?: Progress | undefined;
};

export type WorkerPool<Task, Answer> = {
  run(task: Task, options?: RunOptions): Promise<Answer | WorkerFailure>;
  /** Throws what `run` would reject with while the queue is full: for whoever has something to do before. */
  assertRoom(): void;
  stats(): PoolStats;
  /** Process ids of the workers, for whoever watches or tests them. */
  pids(): number[];
  close(): Promise<void>;
};
export type PoolStats = { busy: number; queued: number; workers: number; crashes: number; done: number };

type Job<Task, Answer> = {
  readonly task: Task;
  readonly heavy: boolean;
  readonly background: boolean;
  readonly limits: WorkerLimits;
  readonly onProgress: Progress | undefined;
  attempts: number;
  withdrawn: boolean;
  readonly resolve: (outcome: Answer | WorkerFailure) => void;
  readonly reject: (error: unknown) => void;
};

type Member<Task, Answer> = {
  readonly process: WorkerProcess<Task, Answer>;
  job: Job<Task, Answer> | null;
  tasksDone: number;
  idleTimer?: NodeJS.Timeout;
};

export function createWorkerPool<Task extends object, Answer extends { kind: string }>(
  options: WorkerPoolOptions<Task>,
): WorkerPool<Task, Answer> {
  const queue: Job<Task, Answer>[] = [];
  const members = new Set<Member<Task, Answer>>();
  const maxHeavy = Math.max(1, options.size - 1);
  let crashes = 0;
  let done = 0;
  let closed = false;

  function dispatch(): void {
    for (;;) {
      const job = nextJob();
      const member = job === undefined ? undefined : freeMember();
      if (job === undefined || member === undefined) return;
      queue.splice(queue.indexOf(job), 1);
      void work(member, job);
    }
  }

  function nextJob(): Job<Task, Answer> | undefined {
    const mayBegin = (job: Job<Task, Answer>): boolean => !job.heavy || heavyJobs() < maxHeavy;
    return queue.find((job) => !job.background && mayBegin(job)) ?? queue.find(mayBegin);
  }

  function heavyJobs(): number {
    return [...members].filter((member) => member.job?.heavy === true).length;
  }

  function freeMember(): Member<Task, Answer> | undefined {
    const idle = [...members].find((member) => member.job === null);
    if (idle !== undefined || members.size >= options.size) return idle;
    const process = startWorkerProcess<Task, Answer>(options);
    const started: Member<Task, Answer> = { process, job: null, tasksDone: 0 };
    members.add(started);
    void process.exited.then(() => members.delete(started));
    return started;
  }

  async function work(member: Member<Task, Answer>, job: Job<Task, Answer>): Promise<void> {
    clearTimeout(member.idleTimer);
    member.job = job;
    job.attempts += 1;
    const outcome = await member.process.run(job.task, job.limits, job.onProgress);
    member.job = null;
    member.tasksDone += 1;
    keepOrRetire(member);
    conclude(job, outcome);
    dispatch();
  }

  function keepOrRetire(member: Member<Task, Answer>): void {
    const worn = member.tasksDone >= maxTasksPerWorker || member.process.rssBytes() > options.maxRssBytes / 2;
    if (worn || !member.process.isAlive()) return retire(member);
    member.idleTimer = setTimeout(() => retire(member), options.idleMs).unref();
  }

  function retire(member: Member<Task, Answer>): void {
    clearTimeout(member.idleTimer);
    members.delete(member);
    member.process.kill();
  }

  function conclude(job: Job<Task, Answer>, outcome: Answer | WorkerFailure): void {
    if (job.withdrawn) return;
    if (closed) return job.reject(new AppError('shutting_down'));
    if (outcome.kind === 'crashed' || outcome.kind === 'not_started') {
      crashes += 1;
      // Whatever killed it may have had nothing to do with this task.
      if (job.attempts < maxAttempts) return void queue.unshift(job);
    }
    done += 1;
    job.resolve(outcome);
  }

  function withdraw(job: Job<Task, Answer>, reason: unknown): void {
    job.withdrawn = true;
    const index = queue.indexOf(job);
    if (index !== -1) queue.splice(index, 1);
    const worker = [...members].find((member) => member.job === job);
    if (worker === undefined) return job.reject(reason);
    retire(worker);
    // Until then it may still write where whoever gave the task is about to tidy up.
    void worker.process.exited.then(() => job.reject(reason));
  }

  function waiting(): Job<Task, Answer>[] {
    return queue.filter((job) => !job.background);
  }

  function full(): AppError {
    return new AppError('overloaded', options.fullMessage, retryAfter(1));
  }

  return {
    assertRoom() {
      const begins = members.size < options.size || [...members].some((member) => member.job === null);
      if (!begins && waiting().length >= options.maxQueued) throw full();
    },
    run(task, { heavy = false, background = false, signal, limits = options, onProgress } = {}) {
      const { promise, resolve, reject } = Promise.withResolvers<Answer | WorkerFailure>();
      if (closed) return Promise.reject(new AppError('shutting_down'));
      if (signal?.aborted) return Promise.reject(signal.reason);
      const how = { heavy, background, limits, onProgress, attempts: 0, withdrawn: false };
      const job: Job<Task, Answer> = { task, ...how, resolve, reject };
      queue.push(job);
      dispatch();
      if (!background && waiting().length > options.maxQueued && queue.at(-1) === job) withdraw(job, full());
      const abort = (): void => withdraw(job, signal?.reason);
      signal?.addEventListener('abort', abort, { once: true });
      return promise.finally(() => signal?.removeEventListener('abort', abort));
    },
    stats: () => ({
      busy: [...members].filter((member) => member.job !== null).length,
      queued: waiting().length,
      workers: members.size,
      crashes,
      done,
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
