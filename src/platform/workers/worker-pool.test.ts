// What long tasks need of the pool: progress, limits of their own, an end to silence, and an end when nobody wants them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { eventually } from '../../../test/support/eventually.ts';
import type { PlainAnswer, PlainTask } from '../../../test/support/plain-worker.ts';
import { createWorkerPool } from './worker-pool.ts';
import type { WorkerPool, WorkerPoolOptions } from './worker-pool.ts';

const file = fileURLToPath(new URL('../../../test/support/plain-worker.ts', import.meta.url));

type TestPool = WorkerPool<PlainTask, PlainAnswer> & AsyncDisposable;

function startPool(options: Partial<WorkerPoolOptions<PlainTask>> = {}): TestPool {
  const pool = createWorkerPool<PlainTask, PlainAnswer>({
    file,
    size: 1,
    maxQueued: 10,
    wallTimeMs: 10_000,
    maxRssBytes: 1 << 30,
    idleMs: 10_000,
    fullMessage: 'full',
    ...options,
  });
  return { ...pool, [Symbol.asyncDispose]: () => pool.close() };
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('progress reaches whoever gave the task, in order', async () => {
  await using pool = startPool();
  const [first, second]: number[][] = [[], []];
  await pool.run({ reports: [10, 50, 90] }, { onProgress: (percent) => first!.push(percent) });
  await pool.run({ reports: [7] }, { onProgress: (percent) => second!.push(percent) });
  assert.deepEqual([first, second], [[10, 50, 90], [7]]);
});

test('a task may have limits of its own, and the next has those of the pool again', async () => {
  await using pool = startPool();
  const limits = { wallTimeMs: 100, maxRssBytes: 1 << 30 };
  assert.deepEqual(await pool.run({ hangs: true }, { limits }), { kind: 'too_slow' });
  assert.equal((await pool.run({ reports: [1, 2, 3], everyMs: 50 })).kind, 'done');
});

test('silence is the end of a task, and progress puts it off', async () => {
  await using pool = startPool();
  const limits = { wallTimeMs: Infinity, silenceMs: 400, maxRssBytes: 1 << 30 };
  const talking = { reports: Array.from({ length: 8 }, (_, index) => index), everyMs: 100 };
  assert.equal((await pool.run(talking, { limits })).kind, 'done');
  assert.deepEqual(await pool.run({ reports: [1], hangs: true }, { limits }), { kind: 'too_slow' });
});

test('what is computed between reports counts to the task', async () => {
  await using pool = startPool();
  const limits = { wallTimeMs: 10_000, cpuTimeMs: 300, maxRssBytes: 1 << 30 };
  assert.deepEqual(await pool.run({ reports: [1], computesMs: 5000 }, { limits }), { kind: 'too_slow' });
});

test('an aborted task takes its worker with it, and is rejected when that is gone', async () => {
  await using pool = startPool();
  const leaving = new AbortController();
  const begun = Promise.withResolvers<number>();
  const task = pool.run(
    { reports: [1], hangs: true },
    { signal: leaving.signal, onProgress: () => begun.resolve(pool.pids()[0] ?? 0) },
  );
  const pid = await begun.promise;
  leaving.abort(new Error('nobody waits'));
  await assert.rejects(task, { message: 'nobody waits' });
  await eventually(() => assert.ok(!isRunning(pid)));
  assert.deepEqual(pool.stats(), { busy: 0, queued: 0, workers: 0, crashes: 0, done: 0 });
  const next = await pool.run({});
  assert.ok(next.kind === 'done' && next.pid !== pid);
});
