import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  cosineOf,
  openTempIndex,
  type TempIndex,
  unitVector,
} from '../../../../test/support/picture-index.ts';
import type { Account } from '../../../accounts/tables.ts';
import type { ObjectRow } from '../../../objects/tables.ts';
import { amongSeqs, type NearestQuery, type Neighbour } from '../picture-index.ts';

type Kept = { object: ObjectRow; model: string; vector: Float32Array };

const spaceOf = (model: string, vector: Float32Array) => ({ model, dimensions: vector.length });

function keep({ database, index }: TempIndex, { object, model, vector }: Kept): Promise<void> {
  const { generation, account_id: accountId, seq } = object;
  return database.write((tx) =>
    index.keepVector(tx, { generation, accountId, seq, space: spaceOf(model, vector), vector }),
  );
}

function question(account: Account, vector: Float32Array, values: Partial<NearestQuery> = {}): NearestQuery {
  const space = spaceOf('a', vector);
  return { accountId: account.account_id, space, vector, minCosine: -2, limit: 100, among: null, ...values };
}

/** All of them, one after another. */
function plainly(kept: Iterable<Kept>, query: NearestQuery, seqs?: ReadonlySet<number>): Neighbour[] {
  return [...kept]
    .filter(({ object, model, vector }) => {
      const inSpace = model === query.space.model && vector.length === query.space.dimensions;
      return inSpace && object.account_id === query.accountId && (!seqs || seqs.has(object.seq));
    })
    .map(({ object, vector }) => ({ object, cosine: cosineOf(vector, query.vector) }))
    .filter(({ cosine }) => cosine >= query.minCosine)
    .sort((left, right) => right.cosine - left.cosine || right.object.seq - left.object.seq)
    .slice(0, query.limit)
    .map(({ object, cosine }) => ({ generation: object.generation, cosine }));
}

/** Few values, so that many cosines are equal. */
const smallVector = fc
  .array(fc.integer({ min: -1, max: 1 }), { minLength: 3, maxLength: 3 })
  .filter((values) => values.some((value) => value !== 0))
  .map(unitVector);
const place = fc.nat(11);
const step = fc.oneof(
  fc.record({ do: fc.constant('keep'), place, model: fc.constantFrom('a', 'b'), vector: smallVector }),
  fc.record({ do: fc.constant('delete'), place }),
  fc.record({
    do: fc.constant('ask'),
    place,
    vector: smallVector,
    model: fc.constantFrom('a', 'b'),
    minCosine: fc.constantFrom(-2, 0, 0.5),
    limit: fc.integer({ min: 1, max: 8 }),
    seqs: fc.option(fc.uniqueArray(fc.integer({ min: 1, max: 6 }))),
  }),
);

test('answers what a look at all vectors answers, whatever was kept, replaced and deleted before', async () => {
  await using temp = await openTempIndex();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
      const accounts = [await temp.newAccount(), await temp.newAccount()] as const;
      const objects: (ObjectRow | null)[] = [];
      for (const account of accounts) objects.push(...(await temp.addObjects(account, 6)));
      const kept = new Map<string, Kept>();
      for (const each of steps) {
        const object = objects[each.place];
        if ('minCosine' in each) {
          const { vector, minCosine, limit, seqs, model } = each;
          const among = seqs && amongSeqs(seqs);
          const query = question(accounts[each.place % 2] as Account, vector, {
            space: spaceOf(model, vector),
            minCosine,
            limit,
            among,
          });
          const expected = plainly(kept.values(), query, seqs ? new Set(seqs) : undefined);
          assert.deepEqual(await temp.index.nearest(query), expected);
        } else if ('vector' in each && object) {
          const now = { object, model: each.model, vector: each.vector };
          await keep(temp, now);
          kept.set(object.generation, now);
        } else if (object) {
          await temp.deleteObject(object.generation);
          objects[each.place] = null;
          kept.delete(object.generation);
        }
      }
    }),
    { numRuns: 60 },
  );
});

describe('many vectors without order', () => {
  const dimensions = 64;
  const count = 6000;
  let state = 12_345;
  /** Uniform is near enough to normal once many dimensions are added up. */
  const chance = (): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 2 ** 30 - 1;
  };
  const randomVector = (): Float32Array => unitVector(Array.from({ length: dimensions }, chance));

  async function fill(temp: TempIndex): Promise<{ account: Account; kept: Kept[] }> {
    const account = await temp.newAccount();
    const objects = await temp.addObjects(account, count);
    const kept = objects.map((object) => ({ object, model: 'a', vector: randomVector() }));
    await temp.database.write(async (tx) => {
      for (const { object, vector } of kept) {
        const { generation, account_id: accountId, seq } = object;
        await temp.index.keepVector(tx, { generation, accountId, seq, space: spaceOf('a', vector), vector });
      }
    });
    return { account, kept };
  }

  const shareFound = (found: readonly Neighbour[], expected: readonly Neighbour[]): number =>
    expected.filter((each) => found.some(({ generation }) => generation === each.generation)).length /
    expected.length;

  test('are found, filtered or not, and the same by an index that keeps little or nothing', async () => {
    await using temp = await openTempIndex();
    const { account, kept } = await fill(temp);
    const forgetful = temp.openIndex({ maxCodeBytes: 0 });
    const small = temp.openIndex({ maxCodeBytes: 200_000 });
    const rare = new Set(kept.flatMap(({ object }) => (object.seq % 75 === 0 ? [object.seq] : [])));
    const half = new Set(kept.flatMap(({ object }) => (object.seq % 2 === 0 ? [object.seq] : [])));
    const shares: number[] = [];
    for (let round = 0; round < 30; round++) {
      // Deleted ones are still known to those that asked before.
      for (const { object } of kept.splice(0, 20)) await temp.deleteObject(object.generation);
      const vector = randomVector();
      for (const seqs of [undefined, rare, half]) {
        const query = question(account, vector, { limit: 10, among: seqs ? amongSeqs(seqs) : null });
        const found = await temp.index.nearest(query);
        const expected = plainly(kept, query, seqs);
        assert.deepEqual(await forgetful.nearest(query), found);
        assert.deepEqual(await small.nearest(query), found);
        if (seqs === rare) assert.deepEqual(found, expected);
        shares.push(shareFound(found, expected));
      }
    }
    const recall = shares.reduce((sum, share) => sum + share) / shares.length;
    assert.ok(recall >= 0.99, `recall ${recall}`);
  });

  test('that were nearly all deleted leave what is left, exactly', async () => {
    await using temp = await openTempIndex();
    const { account, kept } = await fill(temp);
    await temp.index.nearest(question(account, randomVector()));
    const left = kept.filter(({ object }) => object.seq % 75 === 0);
    await temp.database.write(async (tx) => {
      for (const { object } of kept.filter((each) => !left.includes(each)))
        await tx.deleteFrom('objects').where('generation', '=', object.generation).execute();
    });
    for (let round = 0; round < 5; round++) {
      const query = question(account, randomVector());
      assert.deepEqual(await temp.index.nearest(query), plainly(left, query));
    }
  });

  test('of which thousands are equal come newest first', async () => {
    await using temp = await openTempIndex();
    const account = await temp.newAccount();
    const vector = randomVector();
    const objects = await temp.addObjects(account, 1500);
    await temp.database.write(async (tx) => {
      for (const { generation, account_id: accountId, seq } of objects.toReversed())
        await temp.index.keepVector(tx, { generation, accountId, seq, space: spaceOf('a', vector), vector });
    });
    const found = await temp.index.nearest(question(account, randomVector(), { limit: 100 }));
    assert.deepEqual(
      found.map(({ generation }) => generation),
      objects
        .toReversed()
        .slice(0, 100)
        .map(({ generation }) => generation),
    );
  });
});

test('a vector that was replaced is found by its new place alone', async () => {
  await using temp = await openTempIndex();
  const account = await temp.newAccount();
  const [object] = (await temp.addObjects(account, 1)) as [ObjectRow];
  const [east, north] = [unitVector([1, 0]), unitVector([0, 1])];
  await keep(temp, { object, model: 'a', vector: east });
  assert.equal((await temp.index.nearest(question(account, east)))[0]?.cosine, 1);
  await keep(temp, { object, model: 'a', vector: north });
  assert.deepEqual(await temp.index.nearest(question(account, east)), [
    { generation: object.generation, cosine: 0 },
  ]);
  assert.deepEqual(await temp.index.vectorOf(object.generation), {
    space: spaceOf('a', north),
    vector: north,
  });
  assert.equal(await temp.index.count(account.account_id, 'a'), 1);
  assert.equal(await temp.index.count(account.account_id, 'b'), 0);
});

test('a vector with another number of dimensions than its space is refused', async () => {
  await using temp = await openTempIndex();
  const account = await temp.newAccount();
  const [object] = (await temp.addObjects(account, 1)) as [ObjectRow];
  const { generation, account_id: accountId, seq } = object;
  const space = { model: 'a', dimensions: 3 };
  const vector = unitVector([1, 0]);
  await assert.rejects(
    temp.database.write((tx) => temp.index.keepVector(tx, { generation, accountId, seq, space, vector })),
    /dimensions/,
  );
  await assert.rejects(temp.index.nearest({ ...question(account, vector), space }), /dimensions/);
  assert.equal(await temp.index.vectorOf(generation), null);
});
