// What every engine promises of transactions. Which one is under test: see test/support/test-database.ts.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { sql } from 'kysely';
import { createCounters, increment as incrementUnlocked, valueOf } from '../../../test/support/counters.ts';
import { openTempDatabase, type TempDatabase } from '../../../test/support/temp-database.ts';
import { testDatabase } from '../../../test/support/test-database.ts';
import type { Database, Migration, Tx } from './database.ts';
import { lockName } from './locking-rows.ts';

const migrations: Migration[] = [{ name: '1', up: createCounters }];

const increment = async (tx: Tx, name: string, by: number): Promise<void> => {
  await lockName(tx, name);
  await incrementUnlocked(tx, name, by);
};

describe('transactions', () => {
  let temp: TempDatabase;
  let database: Database;
  before(async () => {
    temp = await openTempDatabase(migrations);
    database = temp.database;
  });
  after(() => temp[Symbol.asyncDispose]());

  test('a commit is visible to readers, here and elsewhere, when write() resolves', async () => {
    const elsewhere = await temp.openAgain();
    for (let round = 1; round <= 20; round++) {
      await database.write((tx) => increment(tx, 'visible', 1));
      assert.equal(await valueOf(database, 'visible'), round);
      assert.equal(await valueOf(elsewhere, 'visible'), round);
    }
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
        index % 3 === 0 ? new RegExp(`^number ${index}$`) : /nowhere/,
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

  const isAtOnce = testDatabase === 'pglite' && 'there a statement is done as soon as it is sent';
  test(
    'a statement that outlives its transaction is reported, and all of it is undone',
    { skip: isAtOnce },
    async () => {
      await assert.rejects(
        database.write(async (tx) => {
          await increment(tx, 'outlived', 1);
          void sql`update counters set value = 100 where name = 'outlived'`.execute(tx);
        }),
        /ended while its statements were still running/,
      );
      assert.equal(await valueOf(database, 'outlived'), undefined);
    },
  );

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
});

describe('migrations', () => {
  test('run once, in their order, and only the new ones', async () => {
    await using temp = await openTempDatabase([]);
    const ran: string[] = [];
    const migration = (name: string): Migration => ({ name, up: async () => void ran.push(name) });
    await temp.database.migrate([migration('1'), migration('2')]);
    await temp.database.migrate([migration('1'), migration('2'), migration('3')]);
    await (await temp.openAgain()).migrate([migration('1'), migration('2'), migration('3')]);
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
