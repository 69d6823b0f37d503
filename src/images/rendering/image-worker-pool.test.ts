// What the pool survives: broken, slow and swelling pictures, killed workers, too many at once, the end of its parent.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../../platform/errors.ts';
import { createImageWorkerPool } from './image-worker-pool.ts';
import type { ImageWorkerPool, ImageWorkerPoolOptions } from './image-worker-pool.ts';
import { quarters, renderTask, scratchFolder, slowPicture } from '../../../test/support/plain-quarters.ts';
import type { Scratch } from '../../../test/support/plain-quarters.ts';
import type { RenderTask } from './worker-protocol.ts';

const slow = 'w-2000.avif';
const hasProc = existsSync('/proc/self/status');

suite('the pool of image workers', { concurrency: false }, () => {
  let scratch: Scratch;
  let small: string;
  let large: string;
  let outputs = 0;

  before(async () => {
    scratch = await scratchFolder();
    await mkdir(join(scratch.path, 'out'));
    small = await scratch.save('small.png', await quarters(60, 40).png().toBuffer());
    large = await scratch.save('large.jpg', await slowPicture(1600).jpeg().toBuffer());
  });
  after(() => scratch[Symbol.asyncDispose]());

  type TestPool = ImageWorkerPool & AsyncDisposable;

  function startPool(options: Partial<ImageWorkerPoolOptions> = {}): TestPool {
    const pool = createImageWorkerPool({
      size: 1,
      maxQueued: 10,
      wallTimeMs: 10_000,
      maxRssBytes: 1 << 30,
      idleMs: 10_000,
      ...options,
    });
    return { ...pool, [Symbol.asyncDispose]: () => pool.close() };
  }

  async function task(inputPath: string, text: string): Promise<RenderTask> {
    return {
      ...(await renderTask(inputPath, text)),
      outputPath: join(scratch.path, 'out', `variant-${(outputs += 1)}`),
    };
  }

  async function assertWorks(pool: ImageWorkerPool): Promise<void> {
    const { width, height, size, sha256 } = await pool.render(await task(small, 'w-30.webp'));
    assert.deepEqual([width, height, sha256.length], [30, 20, 64]);
    assert.ok(size > 0);
  }

  async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
    const deadlineMs = Date.now() + 15_000;
    while (!(await condition())) {
      assert.ok(Date.now() < deadlineMs, 'waited in vain');
      await delay(10);
    }
  }

  async function untilBusy(pool: ImageWorkerPool): Promise<number> {
    const workerPid = (): number => pool.pids()[0] ?? assert.fail('no worker');
    await until(() => pool.stats().busy === 1);
    // Once it has read the picture, it holds more memory than a worker that is just starting.
    await until(async () => !hasProc || (await residentMegabytes(workerPid())) > 110);
    return workerPid();
  }

  async function residentMegabytes(pid: number): Promise<number> {
    const status = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => '');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
  }

  function isRunning(pid: number): boolean {
    try {
      process.kill(pid, 0);
      // The dead stay listed until somebody collects them.
      return !hasProc || !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'latin1'));
    } catch {
      return false;
    }
  }

  test('a killed worker costs nobody a picture', async () => {
    await using pool = startPool();
    const rendering = pool.render(await task(large, slow));
    process.kill(await untilBusy(pool), 'SIGKILL');
    assert.equal((await rendering).width, 2000);
    assert.equal(pool.stats().crashes, 1);
    await assertWorks(pool);
  });

  test('a picture that kills its worker twice is refused, and the next is rendered', async () => {
    await using pool = startPool();
    const rendering = pool.render(await task(large, slow));
    const refused = assert.rejects(rendering, { status: 422, message: 'The picture cannot be rendered' });
    const first = await untilBusy(pool);
    process.kill(first, 'SIGKILL');
    await until(() => pool.pids()[0] !== undefined && pool.pids()[0] !== first);
    process.kill(await untilBusy(pool), 'SIGKILL');
    await refused;
    await assertWorks(pool);
  });

  test('a picture that takes too long is given up', async () => {
    await using pool = startPool({ wallTimeMs: 300 });
    const rendering = pool.render(await task(large, slow));
    await assert.rejects(rendering, { status: 422, message: 'The picture took too long to render' });
    await assertWorks(pool);
    assert.partialDeepStrictEqual(pool.stats(), { busy: 0, queued: 0, workers: 1, crashes: 0 });
  });

  test('a picture that computes too long is given up, however long it may wait', async () => {
    await using pool = startPool({ cpuTimeMs: 400, wallTimeMs: 60_000 });
    await assert.rejects(pool.render(await task(large, slow)), { status: 422, message: /took too long/ });
    await assertWorks(pool);
  });

  test('a picture that takes too much memory is given up', { skip: !hasProc }, async () => {
    await using pool = startPool({ maxRssBytes: 90 * 1024 * 1024 });
    const rendering = pool.render(await task(large, slow));
    await assert.rejects(rendering, { status: 422, message: 'The picture needs too much memory to render' });
  });

  test('broken pictures are the fault of who sent them', async () => {
    await using pool = startPool();
    const jpeg = await readFile(large);
    const broken = {
      'cut.jpg': jpeg.subarray(0, jpeg.length / 2),
      'header-only.png': (await readFile(small)).subarray(0, 60),
      'text.png': Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="60" height="40"/>'),
      'empty.png': Buffer.alloc(0),
    };
    for (const [name, bytes] of Object.entries(broken)) {
      const source = name === 'cut.jpg' ? large : small;
      const inputPath = await scratch.save(name, bytes);
      const rendering = pool.render({ ...(await task(source, 'w-30.webp')), inputPath });
      await assert.rejects(rendering, { status: 422, message: 'The picture cannot be decoded' }, name);
    }
    const otherSize = { ...(await task(large, 'w-30.webp')), inputPath: small };
    await assert.rejects(pool.render(otherSize), { status: 422 });
    const gone = { ...(await task(small, 'w-30.webp')), inputPath: join(scratch.path, 'gone.png') };
    await assert.rejects(pool.render(gone), { status: 404 });
    await assertWorks(pool);
    assert.equal(pool.stats().crashes, 0);
  });

  test('a full queue refuses at once and says when to come back', async () => {
    await using pool = startPool({ maxQueued: 2 });
    const tasks = await Promise.all(Array.from({ length: 5 }, () => task(small, 'w-30.webp')));
    const results = await Promise.allSettled(tasks.map((one) => pool.render(one)));
    assert.deepEqual(
      results.map((result) => result.status),
      ['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'rejected'],
    );
    const refusal: unknown = results[4]?.status === 'rejected' ? results[4].reason : undefined;
    assert.ok(refusal instanceof AppError);
    assert.deepEqual([refusal.status, refusal.headers], [503, { 'Retry-After': '1' }]);
  });

  test('long jobs leave a worker to the quick ones', async () => {
    await using pool = startPool({ size: 2 });
    const long = [pool.render(await task(large, slow)), pool.render(await task(large, slow))];
    const settled = Promise.allSettled(long);
    await assertWorks(pool);
    assert.partialDeepStrictEqual(pool.stats(), { busy: 1, queued: 1, workers: 2, crashes: 0 });
    await pool.close();
    for (const job of await settled) assert.equal(job.status, 'rejected');
  });

  test('who no longer waits leaves the queue', async () => {
    await using pool = startPool();
    const running = pool.render(await task(small, 'w-30.webp'));
    const leaving = new AbortController();
    const waiting = pool.render(await task(small, 'w-31.webp'), { signal: leaving.signal });
    leaving.abort(new Error('gone'));
    await assert.rejects(waiting, /gone/);
    assert.equal(pool.stats().queued, 0);
    await running;
  });

  test('closing ends everything and leaves nothing behind', async () => {
    const pool = startPool();
    const jobs = [pool.render(await task(large, slow)), pool.render(await task(small, 'w-30.webp'))];
    const settled = Promise.allSettled(jobs);
    const pid = await untilBusy(pool);
    await pool.close();
    for (const job of await settled)
      assert.equal(job.status === 'rejected' && job.reason.code, 'shutting_down');
    assert.ok(!isRunning(pid));
    await assert.rejects(pool.render(await task(small, 'w-30.webp')), { status: 503 });
    const left = await readdir(join(scratch.path, 'out'));
    assert.deepEqual(
      left.filter((name) => name.endsWith('.tmp')),
      [],
    );
  });

  test('idle workers retire', async () => {
    await using pool = startPool({ idleMs: 50 });
    await assertWorks(pool);
    const [pid = 0] = pool.pids();
    await until(() => pool.stats().workers === 0 && !isRunning(pid));
    await assertWorks(pool);
  });

  test('workers are niced with all their threads and know no secrets', { skip: !hasProc }, async () => {
    await using pool = startPool();
    await assertWorks(pool);
    const [pid = 0] = pool.pids();
    for (const thread of await readdir(`/proc/${pid}/task`)) {
      const stat = await readFile(`/proc/${pid}/task/${thread}/stat`, 'latin1');
      assert.equal(stat.slice(stat.lastIndexOf(')')).split(' ')[17], '10', stat);
    }
    const environment = await readFile(`/proc/${pid}/environ`, 'latin1');
    const names = environment.split('\0').map((entry) => entry.split('=')[0] ?? '');
    const ours = names.filter((name) => name !== '' && !name.startsWith('NODE_'));
    assert.deepEqual(new Set(ours), new Set(['PATH', 'MALLOC_ARENA_MAX']));
  });

  async function startParent(
    script: string,
  ): Promise<{ workerPid: number; parent: ReturnType<typeof spawn> }> {
    const job = JSON.stringify(await task(large, slow));
    const quick = JSON.stringify(await task(small, 'w-30.webp'));
    const code = `import { createImageWorkerPool } from ${JSON.stringify(import.meta.resolve('./image-worker-pool.ts'))};
      const pool = createImageWorkerPool({ size: 1, maxQueued: 1, wallTimeMs: 30_000, maxRssBytes: 1e9, idleMs: 60_000 });
      await pool.render(${quick});
      ${script.replace('JOB', job)}
      console.log(pool.pids()[0]);`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', code], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    return { workerPid: Number(String(line)), parent };
  }

  test('no worker survives its parent, not even a busy one', async () => {
    const { parent, workerPid } = await startParent('void pool.render(JOB);');
    assert.ok(isRunning(workerPid));
    parent.kill('SIGKILL');
    await once(parent, 'exit');
    await until(() => !isRunning(workerPid));
  });

  test('an idle worker does not keep its parent from ending', async () => {
    const { parent, workerPid } = await startParent('');
    if (parent.exitCode === null) await once(parent, 'exit');
    assert.equal(parent.exitCode, 0);
    await until(() => !isRunning(workerPid));
    await rm(join(scratch.path, 'out'), { recursive: true });
  });
});
