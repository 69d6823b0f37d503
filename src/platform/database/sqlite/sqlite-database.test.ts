import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import Sqlite from 'better-sqlite3';
import { sql } from 'kysely';
import { createCounters, increment, valueOf } from '../../../../test/support/counters.ts';
import { openTempDatabase, type TempDatabase } from '../../../../test/support/temp-database.ts';
import { committedGroups } from '../../../../test/support/wal-commits.ts';
import { AppError } from '../../errors.ts';
import type { Database, Migration } from '../database.ts';
import { openSqliteDatabase } from './sqlite-database.ts';

const migrations: Migration[] = [
  {
    name: '1',
    async up(tx) {
      await createCounters(tx);
      await sql`create table parents (id text primary key)`.execute(tx);
      await sql`create table children (parent text not null references parents (id))`.execute(tx);
      await sql`create table blobs (bytes bytea not null)`.execute(tx);
    },
  },
];

const isUnavailable = (error: unknown): boolean =>
  error instanceof AppError && error.status === 503 && error.code === 'overloaded';
const isFull = (error: unknown): boolean => error instanceof AppError && error.status === 507;

describe('transactions of SQLite', () => {
  let temp: TempDatabase;
  let database: Database;
  before(async () => {
    temp = await openTempDatabase(migrations);
    database = temp.database;
  });
  after(() => temp[Symbol.asyncDispose]());

  test('nothing is visible before the commit', async () => {
    await database.write(async (tx) => {
      await increment(tx, 'unseen', 1);
      assert.equal(await valueOf(database, 'unseen'), undefined);
    });
    assert.equal(await valueOf(database, 'unseen'), 1);
  });

  test('the reader cannot write', async () => {
    await assert.rejects(sql`insert into parents values ('x')`.execute(database.read), /readonly/);
  });

  test('those that wait share a commit; each alone has its own', async () => {
    const commits = async (work: () => Promise<unknown>): Promise<number> => {
      const earlier = committedGroups(temp.file);
      await work();
      return committedGroups(temp.file) - earlier;
    };
    const oneByOne = await commits(async () => {
      for (let index = 0; index < 20; index++) await database.write((tx) => increment(tx, 'alone', 1));
    });
    assert.equal(oneByOne, 20);
    const atOnce = await commits(() =>
      Promise.all(Array.from({ length: 200 }, () => database.write((tx) => increment(tx, 'grouped', 1)))),
    );
    assert.ok(atOnce <= 50, `200 transactions took ${atOnce} commits`);
    assert.equal(await valueOf(database, 'grouped'), 200);
  });

  test('what is committed is on disk: a full sync for every commit', async () => {
    const settings = await database.write(async (tx) => [
      (await sql<object>`pragma synchronous`.execute(tx)).rows[0],
      (await sql<object>`pragma journal_mode`.execute(tx)).rows[0],
      (await sql<object>`pragma foreign_keys`.execute(tx)).rows[0],
    ]);
    assert.deepEqual(settings, [{ synchronous: 2 }, { journal_mode: 'wal' }, { foreign_keys: 1 }]);
  });

  test('a commit that fails rejects all of its group, and the next one works', async () => {
    const fine = database.write((tx) => increment(tx, 'shared fate', 1));
    const broken = database.write(async (tx) => {
      await sql`pragma defer_foreign_keys = on`.execute(tx);
      await sql`insert into children values ('nobody')`.execute(tx);
    });
    const outcomes = await Promise.allSettled([fine, broken]);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    assert.equal(await valueOf(database, 'shared fate'), undefined);
    await database.write((tx) => increment(tx, 'shared fate', 1));
    assert.equal(await valueOf(database, 'shared fate'), 1);
  });

  test('a full disk is told as such, nothing of it is kept, and there is life after it', async () => {
    const fill = (bytes: number): Promise<void> =>
      database.write(async (tx) => {
        await increment(tx, 'filled', 1);
        await sql`insert into blobs values (${Buffer.alloc(bytes, 1)})`.execute(tx);
      });
    const limitPages = (pages: number): Promise<unknown> =>
      database.write((tx) => sql`pragma max_page_count = ${sql.lit(pages)}`.execute(tx));
    const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(database.read);
    await limitPages((rows[0]?.page_count ?? 0) + 30);
    const outcomes = await Promise.allSettled(Array.from({ length: 40 }, () => fill(20_000)));
    await limitPages(1_000_000);
    const kept = outcomes.filter(({ status }) => status === 'fulfilled').length;
    assert.ok(kept > 0 && kept < 40, `${kept} were kept`);
    for (const outcome of outcomes) if (outcome.status === 'rejected') assert.ok(isFull(outcome.reason));
    const count = await sql<{ count: number }>`select count(*) as count from blobs`.execute(database.read);
    assert.equal(count.rows[0]?.count, kept);
    assert.equal(await valueOf(database, 'filled'), kept);
    await fill(200_000);
    assert.equal(await valueOf(database, 'filled'), kept + 1);
  });

  test('while another process holds the disk, this one goes on; its writes wait', async () => {
    const holdMs = 2000;
    const other = new Sqlite(temp.file);
    other.exec('BEGIN IMMEDIATE');
    let last = performance.now();
    let longestGapMs = 0;
    const clock = setInterval(() => {
      longestGapMs = Math.max(longestGapMs, performance.now() - last);
      last = performance.now();
    }, 5);
    const startedAt = performance.now();
    const writing = database.write((tx) => increment(tx, 'waited', 1));
    setTimeout(() => other.exec('COMMIT'), holdMs);
    await writing;
    clearInterval(clock);
    other.close();
    assert.ok(performance.now() - startedAt >= holdMs);
    assert.ok(longestGapMs < holdMs / 2, `the event loop stood still for ${longestGapMs} ms`);
    assert.equal(await valueOf(database, 'waited'), 1);
  });

  test('who cannot begin in time is told that the server is busy, and the writer goes on', async () => {
    const other = new Sqlite(temp.file);
    other.exec('BEGIN IMMEDIATE');
    const refused = database.write((tx) => increment(tx, 'busy', 1));
    const next = database.write((tx) => increment(tx, 'busy', 10));
    await assert.rejects(refused, isUnavailable);
    other.exec('COMMIT');
    other.close();
    await next;
    assert.equal(await valueOf(database, 'busy'), 10);
  });
});

describe('closing', () => {
  test('waits for the work given before, and refuses what comes after', async () => {
    await using temp = await openTempDatabase(migrations);
    const file = join(temp.folder, 'other.db');
    const database = openSqliteDatabase(file);
    await database.migrate(migrations);
    const pending = Array.from({ length: 100 }, () => database.write((tx) => increment(tx, 'pending', 1)));
    await database.close();
    await Promise.all(pending);
    await assert.rejects(database.write((tx) => increment(tx, 'pending', 1)));
    const again = openSqliteDatabase(file);
    assert.equal(await valueOf(again, 'pending'), 100);
    await again.close();
  });

  test('twice is once', async () => {
    await using temp = await openTempDatabase(migrations);
    await temp.database.close();
    await temp.database.close();
  });
});
