// Whose jobs are taken over at a start: those of processes of this host that are gone, and nobody else's.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import type { Database } from '../../src/platform/database/database.ts';
import { openSqliteDatabase } from '../../src/platform/database/sqlite/sqlite-database.ts';
import { enqueue, jobMigrations } from '../../src/platform/jobs/jobs.ts';
import { takeOverJobs } from '../../src/platform/jobs/take-over-jobs.ts';
import { newOwnerName, ownerName } from '../../src/platform/owner-name.ts';

const farOff = Date.now() + 3_600_000;
let folder: string;
let database: Database;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tintype-jobs-'));
  database = openSqliteDatabase(join(folder, 'jobs.db'));
  await database.migrate(jobMigrations);
});
after(async () => {
  await database.close();
  await rm(folder, { recursive: true });
});
beforeEach(async () => {
  await database.write(async (tx) => {
    await tx.deleteFrom('jobs').execute();
    await enqueue(tx, [{ kind: 'work', key: 'one', payload: {} }]);
  });
});

async function lease(owner: string, attempts = 1): Promise<void> {
  await database.write((tx) =>
    tx.updateTable('jobs').set({ leased_by: owner, leased_until: farOff, attempts }).execute(),
  );
}

async function afterStart(livingOwners: Set<string> = new Set()) {
  await takeOverJobs(database, { livingOwners, backOffMs: (attempts) => attempts * 1000 });
  return database.read
    .selectFrom('jobs')
    .select(['leased_by', 'leased_until', 'run_at'])
    .executeTakeFirstOrThrow();
}

const deadPid = (): number => spawnSync('true').pid;

test('a job of a process that is gone runs at once', async () => {
  await lease(ownerName(deadPid(), 'abc'));
  const job = await afterStart();
  assert.deepEqual([job.leased_by, job.leased_until], [null, 0]);
  assert.ok(job.run_at <= Date.now());
});

test('one that was there at several deaths waits, since they may have been its doing', async () => {
  await lease(ownerName(deadPid(), 'abc'), 3);
  const job = await afterStart();
  assert.equal(job.leased_by, null);
  assert.ok(job.run_at > Date.now() + 2000);
});

test('a living process keeps its jobs', async () => {
  const other = spawn('sleep', ['60']);
  try {
    await lease(ownerName(other.pid as number, 'abc'));
    assert.equal((await afterStart()).leased_until, farOff);
  } finally {
    other.kill();
  }
});

test('another runner of this process keeps its jobs; an earlier process of the same number does not', async () => {
  const name = newOwnerName();
  await lease(name);
  assert.equal((await afterStart(new Set([name]))).leased_by, name);
  assert.equal((await afterStart()).leased_by, null);
});

test('of another host nobody here can tell, so its leases run out', async () => {
  const elsewhere = `not-${hostname()}-${deadPid()}-abc`;
  await lease(elsewhere);
  assert.equal((await afterStart()).leased_by, elsewhere);
});
