import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { openTempDatabase, type TempDatabase } from '../../../test/support/temp-database.ts';
import { AppError } from '../errors.ts';
import type { Migration } from './database.ts';
import { statement } from './statement.ts';

const migrations: Migration[] = [
  {
    name: '1',
    async up(tx) {
      await sql`create table purses (name text primary key, coins bigint not null)`.execute(tx);
      await sql`create table events (name text not null, coins bigint not null)`.execute(tx);
    },
  },
];

const open = statement<'name' | 'coins'>(
  (p) =>
    sql`insert into purses (name, coins) values (${p('name')}, ${p('coins')}) on conflict (name) do nothing`,
);
const take = statement<'name' | 'coins'>(
  (p) =>
    sql`update purses set coins = coins - ${p('coins')} where name = ${p('name')} and coins >= ${p('coins')}`,
);
const note = statement<'name' | 'coins'>(
  (p) => sql`insert into events (name, coins) values (${p('name')}, ${p('coins')})`,
);
const fail = statement<'name'>((p) => sql`insert into events (name, coins) values (${p('name')}, null)`);
const coinsOf = statement<'name'>((p) => sql`select coins from purses where name = ${p('name')}`);
const spentBy = statement<'name'>(
  (p) => sql`select coalesce(sum(coins), 0) as coins from events where name = ${p('name')}`,
);

describe('a batch', () => {
  let temp: TempDatabase;
  before(async () => {
    temp = await openTempDatabase(migrations);
  });
  after(() => temp[Symbol.asyncDispose]());

  const empty = (): Error => new AppError('conflict', 'The purse is empty');
  const spend = (name: string, coins: number): Promise<void> =>
    temp.database.writeBatch([note({ name, coins }), take({ name, coins }, empty)]);
  const look = async (query: typeof coinsOf, name: string): Promise<number | undefined> =>
    (await temp.database.select<{ coins: number }>(query({ name })))[0]?.coins;

  test('is there whole when it resolves', async () => {
    await temp.database.writeBatch([open({ name: 'one', coins: 5 }), note({ name: 'one', coins: 0 })]);
    await spend('one', 2);
    assert.deepEqual([await look(coinsOf, 'one'), await look(spentBy, 'one')], [3, 2]);
  });

  test('is undone whole when a statement that must change a row changes none', async () => {
    await temp.database.writeBatch([open({ name: 'two', coins: 5 })]);
    await assert.rejects(spend('two', 6), /The purse is empty/);
    assert.deepEqual([await look(coinsOf, 'two'), await look(spentBy, 'two')], [5, 0]);
  });

  test('is undone whole when a statement fails, and takes nobody with it', async () => {
    await temp.database.writeBatch([open({ name: 'three', coins: 5 })]);
    const outcomes = await Promise.allSettled([
      spend('three', 1),
      temp.database.writeBatch([note({ name: 'three', coins: 100 }), fail({ name: 'three' })]),
      spend('three', 1),
      temp.database.write(async (tx) => {
        await sql`update purses set coins = coins - 1 where name = 'three'`.execute(tx);
      }),
      spend('three', 9),
    ]);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled', 'fulfilled', 'rejected'],
    );
    assert.deepEqual([await look(coinsOf, 'three'), await look(spentBy, 'three')], [2, 2]);
  });

  test('many at once never overdraw, beside ordinary transactions', async () => {
    await temp.database.writeBatch([open({ name: 'four', coins: 1000 })]);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 300 }, (_, index) =>
        index % 10 === 0
          ? temp.database.write(async (tx) => {
              // Holds the row, where others could change it after the look.
              await sql`update purses set coins = coins where name = 'four'`.execute(tx);
              const { rows } = await sql<{
                coins: number;
              }>`select coins from purses where name = 'four'`.execute(tx);
              if ((rows[0]?.coins ?? 0) < 7) throw empty();
              await sql`update purses set coins = coins - 7 where name = 'four'`.execute(tx);
              await sql`insert into events values ('four', 7)`.execute(tx);
            })
          : spend('four', 7),
      ),
    );
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 142);
    assert.deepEqual([await look(coinsOf, 'four'), await look(spentBy, 'four')], [6, 994]);
  });
});
