import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { eventually } from '../../../../test/support/eventually.ts';
import {
  cosineOf,
  type IndexUnderTest,
  openPostgresTempIndex,
  unitVector,
} from '../../../../test/support/picture-index.ts';
import type { Account } from '../../../accounts/tables.ts';
import type { ObjectRow } from '../../../objects/tables.ts';
import { amongSeqs, type NearestQuery } from '../picture-index.ts';

const dimensions = 32;
const exactUpTo = 500;
const buildWithinMs = 60_000;

type Kept = { object: ObjectRow; vector: Float32Array };

let state = 12_345;
const chance = (): number => {
  state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
  return state / 2 ** 30 - 1;
};
const randomVector = (): Float32Array => unitVector(Array.from({ length: dimensions }, chance));

async function fill(temp: IndexUnderTest, count: number, model = 'a'): Promise<[Account, Kept[]]> {
  const account = await temp.newAccount();
  const kept = (await temp.addObjects(account, count)).map((object) => ({ object, vector: randomVector() }));
  await temp.database.write(async (tx) => {
    for (const { object, vector } of kept) {
      const { generation, account_id: accountId, seq } = object;
      await temp.index.keepVector(tx, { generation, accountId, seq, space: { model, dimensions }, vector });
    }
  });
  return [account, kept];
}

function question({ account_id: accountId }: Account, values: Partial<NearestQuery> = {}): NearestQuery {
  const space = { model: 'a', dimensions };
  return { accountId, space, vector: randomVector(), minCosine: -2, limit: 10, among: null, ...values };
}

function bestOf(kept: readonly Kept[], { vector, limit }: NearestQuery): string[] {
  return kept
    .map((each) => ({ each, cosine: cosineOf(each.vector, vector) }))
    .sort((left, right) => right.cosine - left.cosine)
    .slice(0, limit)
    .map(({ each }) => each.object.generation);
}

async function graphs({ database }: IndexUnderTest): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select indexrelid::regclass::text as name from pg_index
    where indrelid = 'vectors'::regclass and indisvalid and indexrelid::regclass::text like 'vectors_near_%'
    order by 1`.execute(database.read);
  return rows.map(({ name }) => name);
}

async function scansOf({ database }: IndexUnderTest, name: string): Promise<number> {
  await sql`select pg_stat_force_next_flush()`.execute(database.read);
  const { rows } = await sql<{ scans: number }>`select idx_scan as scans from pg_stat_user_indexes
    where indexrelname = ${name}`.execute(database.read);
  return rows[0]?.scans ?? 0;
}

describe('a large account', () => {
  let temp: IndexUnderTest;
  let account: Account;
  let kept: Kept[];
  before(async () => {
    temp = await openPostgresTempIndex({ exactUpTo });
    [account, kept] = await fill(temp, 2000);
    await fill(temp, 300);
  });
  after(() => temp[Symbol.asyncDispose]());

  test('gets a graph by being asked about, and is answered along it', async () => {
    assert.deepEqual(await graphs(temp), []);
    const query = question(account);
    const found = await temp.index.nearest(query);
    assert.deepEqual(
      found.map(({ generation }) => generation),
      bestOf(kept, query),
    );
    await eventually(async () => assert.equal((await graphs(temp)).length, 1), buildWithinMs);
    const [name] = (await graphs(temp)) as [string];
    const another = temp.openIndex();
    let right = 0;
    for (let round = 0; round < 50; round++) {
      const asked = question(account);
      const best = new Set(bestOf(kept, asked));
      const answer = await another.nearest(asked);
      assert.equal(answer.length, asked.limit);
      assert.deepEqual(
        answer.map(({ cosine }) => cosine),
        answer.map(({ cosine }) => cosine).toSorted((left, high) => high - left),
      );
      right += answer.filter(({ generation }) => best.has(generation)).length;
    }
    assert.ok(right / 500 >= 0.95, `recall ${right / 500}`);
    await eventually(async () => assert.ok((await scansOf(temp, name)) >= 50));
  });

  test('loses nothing to a filter, however far from the question what passes it lies', async () => {
    const index = temp.openIndex();
    for (let round = 0; round < 5; round++) {
      const query = question(account);
      // What is farthest, so that a graph would meet all others first.
      const far = kept
        .toSorted((left, right) => cosineOf(left.vector, query.vector) - cosineOf(right.vector, query.vector))
        .slice(0, exactUpTo + 100);
      for (const some of [far, far.slice(0, 40), far.slice(0, 3)]) {
        const among = amongSeqs(some.map(({ object }) => object.seq));
        const found = await index.nearest({ ...query, among });
        assert.equal(found.length, Math.min(query.limit, some.length));
        const passing = new Set(some.map(({ object }) => object.generation));
        assert.ok(found.every(({ generation }) => passing.has(generation)));
        if (some.length <= exactUpTo)
          assert.deepEqual(
            found.map(({ generation }) => generation),
            bestOf(some, query),
          );
      }
    }
  });

  test('what was kept or deleted a moment ago is found, or not', async () => {
    const index = temp.openIndex();
    const [object] = (await temp.addObjects(account, 1, 5000)) as [ObjectRow];
    const { generation, account_id: accountId, seq } = object;
    const vector = randomVector();
    const query = question(account, { vector, minCosine: 0.999 });
    assert.deepEqual(await index.nearest(query), []);
    await temp.database.write((tx) =>
      temp.index.keepVector(tx, { generation, accountId, seq, space: query.space, vector }),
    );
    assert.deepEqual(
      (await index.nearest(query)).map((found) => found.generation),
      [generation],
    );
    await temp.deleteObject(generation);
    assert.deepEqual(await index.nearest(query), []);
  });

  test('leaves no graph behind once it is gone and another is built', async () => {
    const [first] = await graphs(temp);
    await temp.database.write(async (tx) => {
      await tx.deleteFrom('objects').where('account_id', '=', account.account_id).execute();
    });
    assert.deepEqual(await temp.openIndex().nearest(question(account)), []);
    const [other] = await fill(temp, exactUpTo + 1);
    await temp.index.nearest(question(other));
    await eventually(async () => {
      const now = await graphs(temp);
      assert.equal(now.length, 1);
      assert.notEqual(now[0], first);
    }, buildWithinMs);
  });
});

test('a model may have any name', async () => {
  await using temp = await openPostgresTempIndex({ exactUpTo: 10 });
  const model = `it's "a" \\ model; drop table words; -- %L $1`;
  const [account, kept] = await fill(temp, 100, model);
  const query = question(account, { space: { model, dimensions } });
  await temp.index.nearest(query);
  await eventually(async () => assert.equal((await graphs(temp)).length, 1), buildWithinMs);
  assert.deepEqual(
    (await temp.openIndex().nearest(query)).map(({ generation }) => generation),
    bestOf(kept, query),
  );
});
