import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Updateable } from 'kysely';
import { eventually } from '../../../test/support/eventually.ts';
import { openTempDatabase, type TempDatabase } from '../../../test/support/temp-database.ts';
import type { Database } from '../database/database.ts';
import { createLog } from '../log.ts';
import { ownerName } from '../owner-name.ts';
import { JobRunner, type JobRunnerOptions } from './job-runner.ts';
import { enqueue, type Job, type JobHandler, jobMigrations, type JobRow, type JobTable } from './jobs.ts';

const pollMs = 10;
/** Long enough for a runner to have looked several times. */
const someLooks = (): Promise<void> => pause(pollMs * 8);
const nobody = 'another.host-1-00';
/** Linux gives no process a number this high. */
const deadProcess = ownerName(2 ** 22 + 1, '00');

describe('jobs', () => {
  let temp: TempDatabase;
  let database: Database;
  let kinds = 0;
  const running: JobRunner[] = [];
  before(async () => {
    temp = await openTempDatabase(jobMigrations);
    database = temp.database;
  });
  afterEach(async () => {
    for (const runner of running.splice(0)) await runner.stop(1000);
    await database.write((tx) => tx.deleteFrom('jobs').execute());
  });
  after(() => temp[Symbol.asyncDispose]());

  const newKind = (): string => `kind ${++kinds}`;

  function start(handlers: Record<string, JobHandler>, options: Partial<JobRunnerOptions> = {}): JobRunner {
    const runner = new JobRunner({
      database,
      handlers,
      log: createLog('silent'),
      pollMs,
      backOffMs: () => 0,
      ...options,
    });
    runner.start();
    running.push(runner);
    return runner;
  }

  const ask = (...jobs: Job[]): Promise<void> => database.write((tx) => enqueue(tx, jobs));
  const jobOf = (kind: string, key = 'key', payload: unknown = null): Job => ({ kind, key, payload });
  const rowsOf = (kind: string): Promise<JobRow[]> =>
    database.read.selectFrom('jobs').selectAll().where('kind', '=', kind).orderBy('key').execute();
  const change = (kind: string, values: Updateable<JobTable>): Promise<unknown> =>
    database.write((tx) => tx.updateTable('jobs').set(values).where('kind', '=', kind).execute());
  const done = (kind: string): Promise<void> =>
    eventually(async () => assert.deepEqual(await rowsOf(kind), []));

  test('run with their payload, and their row is gone when they are done', async () => {
    const kind = newKind();
    const seen = new Map<unknown, number>();
    const run: JobHandler['run'] = async ({ n }: { n: number }, { attempt }) => void seen.set(n, attempt);
    start({ [kind]: { run } });
    await ask(jobOf(kind, 'a', { n: 1 }), jobOf(kind, 'b', { n: 2 }));
    await done(kind);
    assert.deepEqual(
      seen,
      new Map([
        [1, 1],
        [2, 1],
      ]),
    );
  });

  test('run only when the transaction that asked for them was committed', async () => {
    const kind = newKind();
    const seen: string[] = [];
    start({ [kind]: { run: async (key: string) => void seen.push(key) } });
    const undone = database.write(async (tx) => {
      await enqueue(tx, [jobOf(kind, 'undone', 'undone')]);
      throw new Error('later');
    });
    await assert.rejects(undone, /later/);
    await ask(jobOf(kind, 'done', 'done'));
    await done(kind);
    await someLooks();
    assert.deepEqual(seen, ['done']);
  });

  test('wait for their time', async () => {
    const kind = newKind();
    let ranAt = 0;
    const runAt = Date.now() + 150;
    start({ [kind]: { run: async () => void (ranAt = Date.now()) } });
    await ask({ ...jobOf(kind), runAt });
    await done(kind);
    assert.ok(ranAt >= runAt);
  });

  test('of a kind nobody handles here stay, and keep nothing from running', async () => {
    const [mine, foreign] = [newKind(), newKind()];
    start({ [mine]: { run: async () => undefined } });
    await ask(jobOf(foreign), jobOf(mine));
    await done(mine);
    assert.equal((await rowsOf(foreign))[0]?.attempts, 0);
  });

  test('that fail are tried again after the back-off, which grows with the attempts', async () => {
    const kind = newKind();
    const attempts: { attempt: number; at: number }[] = [];
    const asked: number[] = [];
    const run: JobHandler['run'] = async (_payload, { attempt }) => {
      attempts.push({ attempt, at: Date.now() });
      if (attempt < 3) throw new Error(`attempt ${attempt}`);
    };
    start({ [kind]: { run } }, { backOffMs: (made) => (asked.push(made), made * 60) });
    await ask(jobOf(kind));
    await done(kind);
    assert.deepEqual(
      attempts.map(({ attempt }) => attempt),
      [1, 2, 3],
    );
    assert.deepEqual(asked, [1, 2]);
    const [first, second, third] = attempts.map(({ at }) => at) as [number, number, number];
    assert.ok(second - first >= 60 && third - second >= 120, `${second - first} and ${third - second} ms`);
  });

  test('that always fail are dead after their last attempt, with what went wrong', async () => {
    const kind = newKind();
    let runs = 0;
    const run = async (): Promise<void> => {
      runs += 1;
      throw new Error(`broken ${runs} ${'x'.repeat(1000)}`);
    };
    start({ [kind]: { run, maxAttempts: 3 } });
    await ask(jobOf(kind));
    await eventually(async () => assert.equal((await rowsOf(kind))[0]?.dead, 1));
    await someLooks();
    const [row] = await rowsOf(kind);
    assert.equal(runs, 3);
    assert.deepEqual([row?.attempts, row?.leased_by, row?.last_error?.length], [3, null, 500]);
    assert.match(row?.last_error ?? '', /^broken 3 x/);
  });

  test('that are dead live again when they are asked for again', async () => {
    const kind = newKind();
    let works = false;
    const run = async (): Promise<void> => {
      if (!works) throw new Error('not yet');
    };
    start({ [kind]: { run, maxAttempts: 1 } });
    await ask(jobOf(kind));
    await eventually(async () => assert.equal((await rowsOf(kind))[0]?.dead, 1));
    works = true;
    await ask(jobOf(kind));
    await done(kind);
  });

  test('have one row per kind and key: asking again renews payload and time', async () => {
    const kind = newKind();
    await ask({ ...jobOf(kind, 'key', 1), runAt: 1 });
    await change(kind, { attempts: 5 });
    await ask({ ...jobOf(kind, 'key', 2), runAt: 2 }, jobOf(kind, 'other', 3));
    const rows = await rowsOf(kind);
    assert.deepEqual(
      rows.map(({ key, payload, attempts }) => [key, payload, attempts]),
      [
        ['key', '2', 0],
        ['other', '3', 0],
      ],
    );
    assert.deepEqual([rows[0]?.run_at, rows[0]?.revision], [2, 2]);
  });

  test('asked for again while they run, they run exactly once more, with the newest payload', async () => {
    for (const fails of [false, true]) {
      const kind = newKind();
      const seen: number[] = [];
      const started = Promise.withResolvers<void>();
      const goOn = Promise.withResolvers<void>();
      const run = async (payload: number): Promise<void> => {
        seen.push(payload);
        if (seen.length > 1) return;
        started.resolve();
        await goOn.promise;
        if (fails) throw new Error('the first time');
      };
      // A failure would wait for long, but what was asked for meanwhile need not.
      start({ [kind]: { run, maxAttempts: 1 } }, { backOffMs: () => 60_000 });
      await ask(jobOf(kind, 'key', 1));
      await started.promise;
      await ask(jobOf(kind, 'key', 2));
      await ask(jobOf(kind, 'key', 3));
      await someLooks();
      assert.deepEqual(seen, [1], 'not while it runs');
      goOn.resolve();
      await done(kind);
      await someLooks();
      assert.deepEqual(seen, [1, 3]);
    }
  });

  test('leased by somebody else are left alone until the lease has run out', async () => {
    const kind = newKind();
    let runs = 0;
    await ask(jobOf(kind));
    await change(kind, { leased_by: nobody, leased_until: Date.now() + 60_000 });
    start({ [kind]: { run: async () => void (runs += 1) } });
    await someLooks();
    assert.equal(runs, 0);
    await change(kind, { leased_until: Date.now() - 1 });
    await done(kind);
    assert.equal(runs, 1);
  });

  test('of a process of this host that died are taken over by the next that starts', async () => {
    const kind = newKind();
    await ask(jobOf(kind));
    await change(kind, { leased_by: deadProcess, leased_until: Date.now() + 60_000, attempts: 1 });
    start({ [kind]: { run: async () => undefined } });
    await done(kind);
  });

  test('that were there at several deaths wait before they run again', async () => {
    const kind = newKind();
    await ask(jobOf(kind));
    await change(kind, { leased_by: deadProcess, leased_until: Date.now() + 60_000, attempts: 2 });
    start({ [kind]: { run: async () => undefined } }, { backOffMs: (attempts) => attempts * 30_000 });
    await eventually(async () => assert.equal((await rowsOf(kind))[0]?.leased_by, null));
    const [row] = await rowsOf(kind);
    assert.ok((row?.run_at ?? 0) > Date.now() + 50_000);
  });

  test('that take long keep their lease by a heartbeat', async () => {
    const kind = newKind();
    let runs = 0;
    const started = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const run = async (): Promise<void> => {
      runs += 1;
      started.resolve();
      await goOn.promise;
    };
    const leaseMs = 3000;
    start({ [kind]: { run } }, { leaseMs });
    await ask(jobOf(kind));
    await started.promise;
    const [before] = await rowsOf(kind);
    start({ [kind]: { run } }, { leaseMs, database: await temp.openAgain() });
    await pause(leaseMs * 2.5);
    const [later] = await rowsOf(kind);
    assert.equal(runs, 1);
    assert.ok((later?.leased_until ?? 0) > Date.now());
    assert.ok((later?.leased_until ?? 0) > (before?.leased_until ?? 0) + leaseMs, 'renewed again and again');
    assert.equal(later?.leased_by, before?.leased_by);
    goOn.resolve();
    await done(kind);
    assert.equal(runs, 1);
  });

  test('are never run by two at the same time, and each is run once', async () => {
    const kind = newKind();
    const runsOf = new Map<string, number>();
    const active = new Set<string>();
    const run = async (key: string): Promise<void> => {
      assert.ok(!active.has(key));
      active.add(key);
      runsOf.set(key, (runsOf.get(key) ?? 0) + 1);
      await pause(Math.random() * 5);
      active.delete(key);
    };
    for (let index = 0; index < 3; index++)
      start({ [kind]: { run } }, { database: await temp.openAgain(), concurrency: 4, pollMs: 3 });
    const keys = Array.from({ length: 60 }, (_, index) => `${index}`);
    await Promise.all(keys.map((key) => ask(jobOf(kind, key, key))));
    await done(kind);
    assert.equal(runsOf.size, keys.length);
    assert.deepEqual([...new Set(runsOf.values())], [1]);
  });

  test('run at most so many at once as allowed, and the rest without waiting for the clock', async () => {
    const kind = newKind();
    const pollMs = 1500;
    let active = 0;
    let most = 0;
    const run = async (): Promise<void> => {
      most = Math.max(most, (active += 1));
      await pause(2);
      active -= 1;
    };
    await ask(...Array.from({ length: 40 }, (_, index) => jobOf(kind, `${index}`)));
    const startedAt = performance.now();
    start({ [kind]: { run } }, { concurrency: 4, pollMs });
    await done(kind);
    assert.equal(most, 4);
    assert.ok(performance.now() - startedAt < pollMs * 9, 'waited for the clock');
  });

  test('stop() lets running jobs end and begins no others', async () => {
    const kind = newKind();
    const seen: string[] = [];
    const started = Promise.withResolvers<void>();
    const run = async (key: string): Promise<void> => {
      started.resolve();
      await pause(100);
      seen.push(key);
    };
    const runner = start({ [kind]: { run } }, { concurrency: 1 });
    await ask(jobOf(kind, 'first', 'first'));
    await started.promise;
    await ask(jobOf(kind, 'second', 'second'));
    await runner.stop(5000);
    assert.deepEqual(seen, ['first']);
    await someLooks();
    const rows = await rowsOf(kind);
    assert.deepEqual(
      rows.map(({ key, leased_by }) => [key, leased_by]),
      [['second', null]],
    );
  });

  test('stop() waits also for what is just being claimed', async () => {
    const kind = newKind();
    let ended = 0;
    await ask(jobOf(kind));
    const goOn = Promise.withResolvers<void>();
    const holding = database.write(() => goOn.promise);
    const runner = start({ [kind]: { run: async () => void (ended += 1) } });
    await someLooks();
    const stopping = runner.stop(5000);
    goOn.resolve();
    await Promise.all([holding, stopping]);
    const endedByThen = ended;
    await someLooks();
    assert.equal(ended, endedByThen);
    assert.equal((await rowsOf(kind)).length, 1 - ended);
  });

  test('stop() does not wait for ever, and tells those it leaves', async () => {
    const kind = newKind();
    const told = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    const run: JobHandler['run'] = async (_payload, { signal }) => {
      signal.addEventListener('abort', () => told.resolve());
      started.resolve();
      await told.promise;
    };
    const runner = start({ [kind]: { run } });
    await ask(jobOf(kind));
    await started.promise;
    const startedAt = performance.now();
    await runner.stop(50);
    assert.ok(performance.now() - startedAt < 1000);
    await told.promise;
  });

  test('what the stop breaks off has not failed, and the next runner takes it at once', async () => {
    const kind = newKind();
    const started = Promise.withResolvers<void>();
    const seen: number[] = [];
    const run: JobHandler['run'] = (_payload, { signal, attempt }) => {
      seen.push(attempt);
      started.resolve();
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    };
    const runner = start({ [kind]: { run, maxAttempts: 1 } }, { backOffMs: () => 60_000 });
    await ask(jobOf(kind));
    await started.promise;
    await runner.stop(0);
    await eventually(async () => {
      const [row] = await rowsOf(kind);
      assert.deepEqual([row?.dead, row?.attempts, row?.leased_by, row?.last_error], [0, 0, null, null]);
    });
    start({ [kind]: { run: async (_payload, { attempt }) => void seen.push(attempt) } });
    await done(kind);
    assert.deepEqual(seen, [1, 1]);
  });
});
