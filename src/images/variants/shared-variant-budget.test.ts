// The budget over two nodes on one database: exact to the last, refused at once, refilled, given back.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { AppError } from '../../platform/errors.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { openTempDatabase, type TempDatabase } from '../../../test/support/temp-database.ts';
import { imageMigrations } from '../tables.ts';
import { SharedVariantBudget } from './shared-variant-budget.ts';
import { type Allowance, MemoryVariantBudget, type VariantBudget } from './variant-budget.ts';

let temp: TempDatabase;
let nodes: [SharedVariantBudget, SharedVariantBudget];
before(async () => {
  temp = await openTempDatabase(imageMigrations);
});
beforeEach(async () => {
  nodes = [new SharedVariantBudget(temp.database), new SharedVariantBudget(await temp.openAgain())];
});
after(() => temp[Symbol.asyncDispose]());

const still = (burst: number): Allowance => ({ perMinute: 0.0001, burst });

/** How many of so many are granted, asked at once and in turn of both. */
async function granted(
  budgets: readonly VariantBudget[],
  count: number,
  ask: Parameters<VariantBudget['take']>,
) {
  const asked = Array.from({ length: count }, (_, index) => {
    const [bucket, client, allowance] = ask;
    return (budgets[index % budgets.length] as VariantBudget).take(
      bucket,
      client.replace('#', String(index)),
      allowance,
    );
  });
  const outcomes = await Promise.allSettled(asked);
  for (const outcome of outcomes)
    if (outcome.status === 'rejected') assert.equal((outcome.reason as AppError).status, 429);
  return outcomes.filter(({ status }) => status === 'fulfilled').length;
}

describe('over two nodes', () => {
  test('many clients have the whole, one client half, to the last one', async () => {
    assert.equal(await granted(nodes, 100, ['many', 'client-#', still(37)]), 37);
    assert.equal(await granted(nodes, 100, ['one', 'client', still(38)]), 19);
    assert.equal(await granted(nodes, 20, ['nothing', 'client', { perMinute: 0, burst: 0 }]), 0);
  });

  test('the same as in memory, whatever the order', async () => {
    const memory = new MemoryVariantBudget();
    for (const [index, burst] of [1, 2, 3, 7, 10].entries())
      for (const client of ['a', 'b', 'c']) {
        const [one, other] = [
          granted(nodes, 5, [`s${index}`, client, still(burst)]),
          granted([memory], 5, [`s${index}`, client, still(burst)]),
        ];
        assert.equal(await one, await other, `${burst} ${client}`);
      }
  });

  test('what a refused one took of the bucket is not gone', async () => {
    const allowance = still(10);
    assert.equal(await granted(nodes, 20, ['undone', 'greedy', allowance]), 5);
    assert.equal(await granted(nodes, 20, ['undone', 'other', allowance]), 5);
  });

  test('what is given back can be taken on the other node', async () => {
    const allowance = still(2);
    const giveBack = await nodes[0].take('back', 'client', allowance);
    await assert.rejects(nodes[0].take('back', 'client', allowance), { code: 'rate_limited' });
    giveBack();
    await eventually(() => nodes[1].take('back', 'client', allowance));
  });

  test('it refills with time, and never beyond its burst', async () => {
    const allowance = { perMinute: 6000, burst: 4 };
    assert.ok((await granted(nodes, 10, ['fast', 'client', allowance])) >= 2);
    await eventually(() => nodes[1].take('fast', 'client', allowance));
    await temp.database.write((tx) =>
      tx
        .updateTable('variant_budgets')
        .set({ at: Date.now() - 3_600_000 })
        .execute(),
    );
    assert.equal(await granted(nodes, 50, ['fast', 'c-#', { perMinute: 1, burst: 4 }]), 4);
  });
});

test('a refusal says when to come again, and the next ones need no database', async () => {
  const allowance = { perMinute: 3, burst: 1 };
  await nodes[0].take('told', 'client', allowance);
  const refused = async (): Promise<Record<string, string>> =>
    nodes[0].take('told', 'client', allowance).then(
      () => assert.fail('granted'),
      (error: AppError) => error.headers,
    );
  const first = await refused();
  assert.deepEqual([first['Retry-After'], first['RateLimit-Policy']], ['20', '"variants";q=1;w=60']);
  await temp.database.write((tx) =>
    tx.updateTable('variant_budgets').set({ unspent: 1 }).where('name', 'like', 'told%').execute(),
  );
  assert.equal((await refused())['Retry-After'], '20');
  await nodes[0].take('told', 'client', { perMinute: 3, burst: 2 });
});

test('without a database each node counts for itself', async () => {
  const { database, [Symbol.asyncDispose]: dispose } = await openTempDatabase(imageMigrations);
  const lonely = new SharedVariantBudget(database);
  await dispose();
  assert.equal(await granted([lonely], 20, ['alone', 'client', still(6)]), 3);
});

test('rows nobody took from for a day are swept', async () => {
  await nodes[0].take('swept', 'client', still(9));
  const rows = () => temp.database.read.selectFrom('variant_budgets').select('name').execute();
  await temp.database.write((tx) =>
    tx
      .updateTable('variant_budgets')
      .set({ at: Date.now() - 90_000_000 })
      .where('name', '=', 'swept')
      .execute(),
  );
  await nodes[0].sweep();
  const left = new Set((await rows()).map(({ name }) => name));
  assert.deepEqual([left.has('swept'), left.has('swept client')], [false, true]);
});
