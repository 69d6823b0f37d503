import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import fc from 'fast-check';
import { sql } from 'kysely';
import { openTempDatabase, type TempDatabase } from '../../../../test/support/temp-database.ts';
import { committedGroups } from '../../../../test/support/wal-commits.ts';
import { AppError } from '../../errors.ts';
import type { Database, Migration, Tx } from '../database.ts';
import { openSqliteDatabase } from './sqlite-database.ts';

const migrations: Migration[] = [
  {
    name: '1',
    async up(tx) {
      await sql`create table counters (name text primary key, value bigint not null)`.execute(tx);
      await sql`create table parents (id text primary key)`.execute(tx);
      await sql`create table children (parent text not null references parents (id))`.execute(tx);
      await sql`create table blobs (bytes bytea not null)`.execute(tx);
    },
  },
];

const increment = async (tx: Tx, name: string, by: number): Promise<void> => {
  const now = await sql<{ value: number }>`select value from counters where name = ${name}`.execute(tx);
  // Read, think and write: only right when nobody comes in between.
  await Promise.resolve();
  const value = (now.rows[0]?.value ?? 0) + by;
  await sql`insert into counters values (${name}, ${value}) on conflict (name) do update set value = ${value}`.execute(
    tx,
  );
};

async function valueOf(database: Database, name: string): Promise<number | undefined> {
  const { rows } = await sql<{ value: number }>`select value from counters where name = ${name}`.execute(
    database.read,
  );
  return rows[0]?.value;
}

const isUnavailable = (error: unknown): boolean =>
  error instanceof AppError && error.status === 503 && error.code === 'overloaded';
const isFull = (error: unknown): boolean => error instanceof AppError && error.status === 507;

describe('transactions', () => {
  let temp: TempDatabase;
  let database: Database;
  before(async () => {
    temp = await openTempDatabase(migrations);
    database = temp.database;
  });
  after(() => temp[Symbol.asyncDispose]());

  test('a commit is visible to readers, here and elsewhere, when write() resolves', async () => {
    const elsewhere = temp.openAgain();
    for (let round = 1; round <= 20; round++) {
      await database.write((tx) => increment(tx, 'visible', 1));
      assert.equal(await valueOf(database, 'visible'), round);
      assert.equal(await valueOf(elsewhere, 'visible'), round);
    }
  });

  test('nothing is visible before the commit', async () => {
    await database.write(async (tx) => {
      await increment(tx, 'unseen', 1);
      assert.equal(await valueOf(database, 'unseen'), undefined);
    });
    assert.equal(await valueOf(database, 'unseen'), 1);
  });

  test('the value of the work comes out of write()', async () => {
    assert.equal(await database.write(async () => 'value'), 'value');
    assert.equal(await database.write(() => Promise.resolve(undefined)), undefined);
  });

  test('one that throws undoes itself alone; all others of its group stay', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 300 }, (_, index) =>
        database.write(async (tx) => {
          await increment(tx, 'sum', 1);
          if (index % 3 === 0) throw new Error(`number ${index}`);
          if (index % 3 === 1) await sql`insert into nowhere values (1)`.execute(tx);
          return index;
        }),
      ),
    );
    outcomes.forEach((outcome, index) => {
      if (index % 3 === 2) return assert.deepEqual(outcome, { status: 'fulfilled', value: index });
      assert.equal(outcome.status, 'rejected');
      assert.match(
        ((outcome as PromiseRejectedResult).reason as Error).message,
        index % 3 === 0 ? new RegExp(`^number ${index}$`) : /no such table: nowhere/,
      );
    });
    assert.equal(await valueOf(database, 'sum'), 100);
  });

  test('a work that throws before its first statement is told so', async () => {
    await assert.rejects(
      database.write(() => {
        throw new Error('at once');
      }),
      /at once/,
    );
    await assert.rejects(
      database.write(() => Promise.reject(new Error('at once, later'))),
      /at once, later/,
    );
  });

  test('any interleaving of increments, some undone, sums up exactly', async () => {
    const step = fc.record({
      name: fc.constantFrom('a', 'b', 'c'),
      by: fc.integer({ min: 1, max: 9 }),
      fails: fc.constantFrom(false, false, false, true),
      afterMs: fc.constantFrom(0, 0, 0, 1, 3),
    });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 60 }), async (steps) => {
        run += 1;
        const named = (name: string): string => `${name}${run}`;
        await Promise.all(
          steps.map(async ({ name, by, fails, afterMs }) => {
            if (afterMs > 0) await pause(afterMs);
            const writing = database.write(async (tx) => {
              await increment(tx, named(name), by);
              if (fails) throw new Error('undone');
            });
            await (fails ? assert.rejects(writing, /undone/) : writing);
          }),
        );
        for (const name of ['a', 'b', 'c']) {
          const sum = steps.reduce(
            (total, step) => total + (step.name === name && !step.fails ? step.by : 0),
            0,
          );
          assert.equal((await valueOf(database, named(name))) ?? 0, sum);
        }
      }),
      { numRuns: 25 },
    );
  });

  test('statements sent together run in their order', async () => {
    const rows = await database.write(async (tx) => {
      const [, , { rows: found }] = await Promise.all([
        sql`insert into counters values ('together', 1)`.execute(tx),
        sql`update counters set value = value + 1 where name = 'together'`.execute(tx),
        sql`select value from counters where name = 'together'`.execute(tx),
      ]);
      return found;
    });
    assert.deepEqual(rows, [{ value: 2 }]);
  });

  test('a statement that outlives its transaction is reported, and all of it is undone', async () => {
    await assert.rejects(
      database.write(async (tx) => {
        await increment(tx, 'outlived', 1);
        void sql`update counters set value = 100 where name = 'outlived'`.execute(tx);
      }),
      /ended while its statements were still running/,
    );
    assert.equal(await valueOf(database, 'outlived'), undefined);
  });

  test('a handle is of no use after its transaction, also while another runs', async () => {
    let kept: Tx | undefined;
    await database.write(async (tx) => {
      kept = tx;
      await increment(tx, 'late', 1);
    });
    const late = (): Promise<unknown> =>
      sql`update counters set value = 100 where name = 'late'`.execute(kept as Tx);
    await assert.rejects(late(), /outside its transaction/);
    await database.write(async (tx) => {
      await increment(tx, 'late', 1);
      await assert.rejects(late(), /outside its transaction/);
    });
    assert.equal(await valueOf(database, 'late'), 2);
  });

  test('Kysely’s own transactions are refused on both sides', async () => {
    await assert.rejects(
      database.read.transaction().execute(() => Promise.resolve()),
      /Use database.write/,
    );
    await assert.rejects(
      database.write((tx) => tx.transaction().execute(() => Promise.resolve())),
      /Use database.write/,
    );
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
    const holdMs = 400;
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

describe('migrations', () => {
  test('run once, in their order, and only the new ones', async () => {
    await using temp = await openTempDatabase([]);
    const ran: string[] = [];
    const migration = (name: string): Migration => ({ name, up: async () => void ran.push(name) });
    await temp.database.migrate([migration('1'), migration('2')]);
    await temp.database.migrate([migration('1'), migration('2'), migration('3')]);
    await temp.openAgain().migrate([migration('1'), migration('2'), migration('3')]);
    assert.deepEqual(ran, ['1', '2', '3']);
  });

  test('one that fails leaves nothing of any', async () => {
    await using temp = await openTempDatabase([]);
    const broken: Migration = { name: '2', up: async (tx) => void (await sql`create nonsense`.execute(tx)) };
    await assert.rejects(temp.database.migrate([...migrations, broken]));
    assert.equal((await sql`select * from migrations`.execute(temp.database.read)).rows.length, 0);
    await temp.database.migrate(migrations);
    await temp.database.write((tx) => increment(tx, 'x', 1));
  });
});
