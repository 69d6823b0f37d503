// One image worker as the pool sees it: started, given one task at a time, and killed when a task takes too long or too
// much memory. While it has nothing to do it does not keep the server's event loop alive.
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { getCompileCacheDir } from 'node:module';
import { fileURLToPath } from 'node:url';
import { temporaryPath } from './variant-file.ts';
import { watchWorker } from './watch-worker.ts';
import type { WorkerLimits } from './watch-worker.ts';
import type { RenderAnswer, RenderTask, WorkerMessage } from './worker-protocol.ts';

const workerFile = fileURLToPath(new URL('./image-worker.ts', import.meta.url));
const maxStartMs = 15_000;
const niceness = 10;

export type WorkerOutcome =
  | RenderAnswer
  | { readonly kind: 'too_slow' }
  | { readonly kind: 'too_large' }
  | { readonly kind: 'not_started'; readonly reason: string }
  | { readonly kind: 'crashed'; readonly reason: string };

export type WorkerProcess = {
  readonly pid: number | undefined;
  /** Settles with what became of the task; never rejects. */
  run(task: RenderTask): Promise<WorkerOutcome>;
  isAlive(): boolean;
  /** As the worker itself reported after its last task. */
  rssBytes(): number;
  kill(): void;
  readonly exited: Promise<void>;
};

export function startWorkerProcess(limits: WorkerLimits): WorkerProcess {
  const child = forkWorker();
  const state = { alive: true, ready: false, rssBytes: 0 };
  let assignment: {
    task: RenderTask;
    settle: (outcome: WorkerOutcome) => void;
    stopWatching: () => void;
  } | null = null;

  function end(outcome: WorkerOutcome): void {
    state.alive = false;
    child.kill('SIGKILL');
    settle(outcome);
    // Its exit comes at once, and whoever waits for it must live to see it.
    child.ref();
  }

  function settle(outcome: WorkerOutcome): void {
    const settled = assignment;
    assignment = null;
    letLoopEnd(child);
    if (settled === null) return;
    settled.stopWatching();
    if (!state.alive) void removeTemporary(settled.task, child.pid);
    settled.settle(outcome);
  }

  function sendTask(): void {
    if (assignment === null || !state.ready) return;
    assignment.stopWatching();
    assignment.stopWatching = watchWorker(child.pid, limits, (kind) => end({ kind }));
    child.send(assignment.task);
  }

  child.on('message', (message: WorkerMessage) => {
    if (message.kind === 'ready') {
      state.ready = true;
      sendTask();
    } else {
      state.rssBytes = message.rssBytes;
      settle(message.answer);
    }
  });
  const exited = new Promise<void>((resolve) => {
    const gone = (reason: string): void => {
      end({ kind: state.ready ? 'crashed' : 'not_started', reason });
      resolve();
    };
    child.once('exit', (code, signal) => gone(`image worker ended with ${signal ?? code}`));
    child.on('error', (error) => gone(String(error)));
  });

  return {
    pid: child.pid,
    exited,
    isAlive: () => state.alive,
    rssBytes: () => state.rssBytes,
    kill: () => end({ kind: 'crashed', reason: 'killed by the pool' }),
    run(task) {
      return new Promise((resolve) => {
        if (!state.alive) return resolve({ kind: 'crashed', reason: 'image worker is gone' });
        holdLoop(child);
        const tooSlow = setTimeout(() => end({ kind: 'not_started', reason: 'no sign of life' }), maxStartMs);
        assignment = { task, settle: resolve, stopWatching: () => clearTimeout(tooSlow) };
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

function forkWorker(): ChildProcess {
  const child = fork(workerFile, [], {
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

async function removeTemporary(task: RenderTask, pid: number | undefined): Promise<void> {
  if (pid !== undefined)
    await rm(temporaryPath(task.outputPath, pid, task.stagingFolder), { force: true }).catch(() => {});
}

function holdLoop(child: ChildProcess): void {
  child.ref();
  child.channel?.ref();
}

function letLoopEnd(child: ChildProcess): void {
  child.unref();
  child.channel?.unref();
}
