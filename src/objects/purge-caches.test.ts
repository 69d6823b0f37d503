import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { eventually } from '../../test/support/eventually.ts';
import { standIn } from '../../test/support/stand-in.ts';
import { openTempDatabase, type TempDatabase } from '../../test/support/temp-database.ts';
import { JobRunner } from '../platform/jobs/job-runner.ts';
import { enqueue, type Job, type JobHandler, jobMigrations } from '../platform/jobs/jobs.ts';
import { createLog } from '../platform/log.ts';
import { forgetInCaches, purgeCachesHandlers } from './purge-caches.ts';

const urls = { files: 'https://cdn.example.com', storage: 'https://cdn.example.com/s' };
const callTo = (url: string) => ({ url: `${url}/{tag}`, method: 'POST', headers: {}, body: undefined });
const jobFor = (number: number): Job[] =>
  forgetInCaches(
    urls,
    callTo('x'),
  )({
    backend: 'files',
    bucket_id: '0123456789abcdef',
    object_id: `o${number}`,
    generation: number.toString(16).padStart(24, '0'),
    kind: 'image',
    film: null,
  });

describe('telling caches', () => {
  let temp: TempDatabase;
  let runner: JobRunner | null = null;
  before(async () => {
    temp = await openTempDatabase(jobMigrations);
  });
  afterEach(() => runner?.stop(1000));
  after(() => temp[Symbol.asyncDispose]());

  function start(handlers: Record<string, JobHandler>): void {
    runner = new JobRunner({
      database: temp.database,
      handlers,
      log: createLog('silent'),
      pollMs: 10,
      concurrency: 4,
      backOffMs: () => 30,
    });
    runner.start();
  }
  const ask = (...jobs: Job[]): Promise<void> => temp.database.write((tx) => enqueue(tx, jobs));
  const rows = () =>
    temp.database.read.selectFrom('jobs').select(['kind', 'attempts', 'last_error']).execute();
  const done = (): Promise<void> => eventually(async () => assert.deepEqual(await rows(), []), 10_000);

  test('is tried again after a hang, and ends when the cache answers', async () => {
    await using cache = await standIn([0, 503, 204]);
    start(purgeCachesHandlers(callTo(cache.url), { deadlineMs: 100 }));
    await ask(...jobFor(1));
    await done();
    assert.deepEqual(
      cache.seen.map(({ line }) => line),
      Array(3).fill('POST /000000000001'),
    );
  });

  test('does not keep other work from running while the cache hangs', async () => {
    await using cache = await standIn([0]);
    const deadlineMs = 4000;
    let others = 0;
    const other: JobHandler = { run: async () => void (others += 1) };
    start({ ...purgeCachesHandlers(callTo(cache.url), { deadlineMs }), other });
    await ask(...Array.from({ length: 40 }, (_, index) => jobFor(index)).flat());
    await eventually(async () => assert.ok((await rows()).some(({ last_error: error }) => error !== null)));
    const startedAt = performance.now();
    for (let n = 1; n <= 5; n++) {
      await ask({ kind: 'other', key: String(n), payload: null });
      await eventually(() => assert.equal(others, n));
    }
    // One call that waits has three places beside it; without the rule each of the five would wait for a deadline.
    assert.ok(performance.now() - startedAt < deadlineMs * 3, `${performance.now() - startedAt} ms`);
    await temp.database.write((tx) => tx.deleteFrom('jobs').execute());
  });

  test('is over when the setting was taken away', async () => {
    await ask(...jobFor(7));
    start(purgeCachesHandlers(null));
    await done();
    assert.deepEqual(forgetInCaches(urls, null)({} as never), []);
  });
});
