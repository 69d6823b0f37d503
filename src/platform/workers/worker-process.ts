// One worker process as the pool sees it: started, given one task at a time, and killed when a task takes too long or too
// much memory. While it has nothing to do it does not keep the server's event loop alive.
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { setPriority } from 'node:os';
import { getCompileCacheDir } from 'node:module';
import { watchWorker } from './watch-worker.ts';
import type { Watch, WorkerLimits } from './watch-worker.ts';

const maxStartMs = 15_000;
const niceness = 10;

/** What a worker holds and has computed so far, as it says itself when it begins and with every answer. */
export type WorkerUsage = { readonly rssBytes: number; readonly cpuMs: number };

export function ownUsage(): WorkerUsage {
  const { user, system } = process.cpuUsage();
  return { rssBytes: process.memoryUsage.rss(), cpuMs: (user + system) / 1000 };
}

/** What a worker sends: once when it can begin, then an answer to each task, and what it likes to say on the way there. */
export type WorkerMessage<Answer> =
  | ({ readonly kind: 'ready' } & WorkerUsage)
  | ({ readonly kind: 'progress'; readonly percent: number } & WorkerUsage)
  | ({ readonly kind: 'answer'; readonly answer: Answer } & WorkerUsage);

/** What becomes of a task the worker did not answer. */
export type WorkerFailure =
  | { readonly kind: 'too_slow' }
  | { readonly kind: 'too_large' }
  | { readonly kind: 'not_started'; readonly reason: string }
  | { readonly kind: 'crashed'; readonly reason: string };

export type WorkerKind<Task> = {
  /** The module that runs in the child. */
  readonly file: string;
  /** Removes what a worker that was killed has left of a task. */
  readonly cleanUp?: (task: Task, pid: number) => Promise<void>;
};

export type Progress = (percent: number) => void;

export type WorkerProcess<Task, Answer> = {
  readonly pid: number | undefined;
  /** Settles with what became of the task; never rejects. */
  run(task: Task, limits: WorkerLimits, onProgress?: Progress): Promise<Answer | WorkerFailure>;
  isAlive(): boolean;
  /** As the worker itself reported after its last task. */
  rssBytes(): number;
  kill(): void;
  readonly exited: Promise<void>;
};

export function startWorkerProcess<Task extends object, Answer>({
  file,
  cleanUp,
}: WorkerKind<Task>): WorkerProcess<Task, Answer> {
  type Outcome = Answer | WorkerFailure;
  const child = forkWorker(file);
  const state = { alive: true, ready: false, rssBytes: 0, cpuMs: 0 };
  let assignment: {
    task: Task;
    limits: WorkerLimits;
    onProgress: Progress | undefined;
    settle: (outcome: Outcome) => void;
    watch: Watch;
  } | null = null;

  function end(outcome: Outcome): void {
    state.alive = false;
    child.kill('SIGKILL');
    settle(outcome);
    // Its exit comes at once, and whoever waits for it must live to see it.
    child.ref();
  }

  function settle(outcome: Outcome): void {
    const settled = assignment;
    assignment = null;
    letLoopEnd(child);
    if (settled === null) return;
    settled.watch.stop();
    if (!state.alive && child.pid !== undefined)
      void cleanUp?.(settled.task, child.pid).catch(() => undefined);
    settled.settle(outcome);
  }

  function sendTask(): void {
    if (assignment === null || !state.ready) return;
    const { task, limits, watch } = assignment;
    watch.stop();
    assignment.watch = watchWorker(child.pid, limits, state.cpuMs, (kind) => end({ kind }));
    child.send(task);
  }

  child.on('message', (message: WorkerMessage<Answer>) => {
    state.rssBytes = message.rssBytes;
    // What it computes before it answers is counted from where the task began.
    if (message.kind !== 'progress') state.cpuMs = message.cpuMs;
    if (message.kind === 'ready') {
      state.ready = true;
      sendTask();
    } else if (message.kind === 'progress') {
      assignment?.watch.heard();
      assignment?.onProgress?.(message.percent);
    } else {
      settle(message.answer);
    }
  });
  const exited = new Promise<void>((resolve) => {
    const gone = (reason: string): void => {
      end({ kind: state.ready ? 'crashed' : 'not_started', reason });
      resolve();
    };
    child.once('exit', (code, signal) => gone(`worker ended with ${signal ?? code}`));
    child.on('error', (error) => gone(String(error)));
  });

  return {
    pid: child.pid,
    exited,
    isAlive: () => state.alive,
    rssBytes: () => state.rssBytes,
    kill: () => end({ kind: 'crashed', reason: 'killed by the pool' }),
    run(task, limits, onProgress) {
      return new Promise((resolve) => {
        if (!state.alive) return resolve({ kind: 'crashed', reason: 'the worker is gone' });
        holdLoop(child);
        const tooSlow = setTimeout(() => end({ kind: 'not_started', reason: 'no sign of life' }), maxStartMs);
        const watch = { heard: () => {}, stop: () => clearTimeout(tooSlow) };
        assignment = { task, limits, onProgress, settle: resolve, watch };
        sendTask();
      });
    },
  };
}

/** Where the server keeps its compiled sources, so that a worker starts from the same. */
function compileCache(): Record<string, string> {
  const folder = getCompileCacheDir();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };
}

function forkWorker(file: string): ChildProcess {
  const child = fork(file, [], {
    execArgv: [],
    // Nothing of the server's environment: its secrets are no business of a decoder.
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', MALLOC_ARENA_MAX: '2', ...compileCache() },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  letLoopEnd(child);
  try {
    // At once: threads inherit it only from the moment they are made.
    if (child.pid !== undefined) setPriority(child.pid, niceness);
  } catch {
    // It may be gone already, which its exit tells.
  }
  return child;
}

function holdLoop(child: ChildProcess): void {
  child.ref();
  child.channel?.ref();
}

function letLoopEnd(child: ChildProcess): void {
  child.unref();
  child.channel?.unref();
}
