// The part of the contract that is about vectors. Cosines are compared to the sixth digit, which is what the API tells.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import type { Account } from '../../src/accounts/tables.ts';
import type { ObjectRow } from '../../src/objects/tables.ts';
import { amongSeqs, type NearestQuery, type Neighbour } from '../../src/search/index/picture-index.ts';
import { cosineOf, type IndexUnderTest, unitVector } from '../support/picture-index.ts';

type Kept = { object: ObjectRow; model: string; vector: Float32Array };

const tolerance = 1e-6;
const spaceOf = (model: string, vector: Float32Array) => ({ model, dimensions: vector.length });

export function pictureIndexVectors(open: () => Promise<IndexUnderTest>): void {
  let temp: IndexUnderTest;
  before(async () => {
    temp = await open();
  });
  after(() => temp[Symbol.asyncDispose]());

  test('answers what a look at all vectors answers, whatever was kept, replaced and deleted before', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), (steps) => follow(temp, steps)),
      { numRuns: 30 },
    );
  });

  test('of many, a filter loses nothing, and what is nearest comes first', async () => {
    const account = await temp.newAccount();
    const objects = await temp.addObjects(account, 3000);
    const chance = randomNumbers();
    const randomVector = (): Float32Array => unitVector(Array.from({ length: 64 }, chance));
    const kept = objects.map((object) => ({ object, model: 'a', vector: randomVector() }));
    await keepAll(temp, kept);
    const rare = new Set(kept.flatMap(({ object }) => (object.seq % 75 === 0 ? [object.seq] : [])));
    const last = new Set(objects.slice(-700).map(({ seq }) => seq));
    for (let round = 0; round < 10; round++) {
      const vector = randomVector();
      for (const seqs of [undefined, rare, last, new Set<number>()]) {
        const query = question(account, vector, { limit: 10, among: seqs ? amongSeqs(seqs) : null });
        assertSame(await temp.index.nearest(query), kept, query, seqs);
      }
    }
  });

  test('of which thousands are equal come newest first', async () => {
    const account = await temp.newAccount();
    const vector = unitVector([1, 2, 3]);
    const objects = await temp.addObjects(account, 1500);
    await keepAll(
      temp,
      objects.toReversed().map((object) => ({ object, model: 'a', vector })),
    );
    const found = await temp.index.nearest(question(account, unitVector([3, 2, 1])));
    assert.deepEqual(
      found.map(({ generation }) => generation),
      objects
        .toReversed()
        .slice(0, 100)
        .map(({ generation }) => generation),
    );
  });

  test('a vector that was replaced is found by its new place alone', async () => {
    const account = await temp.newAccount();
    const [object] = (await temp.addObjects(account, 1)) as [ObjectRow];
    const [east, north] = [unitVector([1, 0]), unitVector([0, 1])];
    await keepAll(temp, [{ object, model: 'a', vector: east }]);
    assert.equal((await temp.index.nearest(question(account, east)))[0]?.cosine, 1);
    await keepAll(temp, [{ object, model: 'a', vector: north }]);
    assertSame(await temp.index.nearest(question(account, east)), [{ object, model: 'a', vector: north }], {
      ...question(account, east),
    });
    assert.equal(await temp.index.count(account.account_id, 'a'), 1);
    assert.equal(await temp.index.count(account.account_id, 'b'), 0);
  });

  test('a vector comes back to the last bit', async () => {
    const account = await temp.newAccount();
    const [object] = (await temp.addObjects(account, 1)) as [ObjectRow];
    const chance = randomNumbers();
    const vector = unitVector(Array.from({ length: 4100 }, (_, at) => chance() * 10 ** -(at % 40)));
    await keepAll(temp, [{ object, model: "a 'model' \\ of anybody", vector }]);
    assert.deepEqual(await temp.index.vectorOf(object.generation), {
      space: { model: "a 'model' \\ of anybody", dimensions: 4100 },
      vector,
    });
    assert.equal(await temp.index.vectorOf('nothing'), null);
  });

  test('a vector with another number of dimensions than its space is refused', async () => {
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
    // None that a cosine of these vectors could equal but for rounding.
    minCosine: fc.constantFrom(-2, 0.1, 0.45),
    limit: fc.integer({ min: 1, max: 8 }),
    seqs: fc.option(fc.uniqueArray(fc.integer({ min: 1, max: 6 }))),
  }),
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

async function follow(temp: IndexUnderTest, steps: readonly Step[]): Promise<void> {
  const accounts = [await temp.newAccount(), await temp.newAccount()] as const;
  const objects: (ObjectRow | null)[] = [];
  for (const account of accounts) objects.push(...(await temp.addObjects(account, 6)));
  const kept = new Map<string, Kept>();
  for (const each of steps) {
    const object = objects[each.place];
    if ('minCosine' in each) {
      const { vector, minCosine, limit, seqs, model } = each;
      const space = spaceOf(model, vector);
      const among = seqs && amongSeqs(seqs);
      const query = question(accounts[each.place % 2] as Account, vector, { space, minCosine, limit, among });
      assertSame(
        await temp.index.nearest(query),
        [...kept.values()],
        query,
        seqs ? new Set(seqs) : undefined,
      );
    } else if ('vector' in each && object) {
      const now = { object, model: each.model, vector: each.vector };
      await keepAll(temp, [now]);
      kept.set(object.generation, now);
    } else if (object) {
      await temp.deleteObject(object.generation);
      objects[each.place] = null;
      kept.delete(object.generation);
    }
  }
}

function keepAll({ database, index }: IndexUnderTest, kept: readonly Kept[]): Promise<void> {
  return database.write(async (tx) => {
    for (const { object, model, vector } of kept) {
      const { generation, account_id: accountId, seq } = object;
      await index.keepVector(tx, { generation, accountId, seq, space: spaceOf(model, vector), vector });
    }
  });
}

function question(account: Account, vector: Float32Array, values: Partial<NearestQuery> = {}): NearestQuery {
  const space = spaceOf('a', vector);
  return { accountId: account.account_id, space, vector, minCosine: -2, limit: 100, among: null, ...values };
}

/** With all vectors looked at one after another. */
function assertSame(
  found: readonly Neighbour[],
  kept: readonly Kept[],
  query: NearestQuery,
  seqs?: ReadonlySet<number>,
): void {
  const expected = kept
    .filter(({ object, model, vector }) => {
      const inSpace = model === query.space.model && vector.length === query.space.dimensions;
      return inSpace && object.account_id === query.accountId && (!seqs || seqs.has(object.seq));
    })
    .map(({ object, vector }) => ({ object, cosine: cosineOf(vector, query.vector) }))
    .filter(({ cosine }) => cosine >= query.minCosine)
    .sort((left, right) =>
      Math.abs(right.cosine - left.cosine) < tolerance
        ? right.object.seq - left.object.seq
        : right.cosine - left.cosine,
    )
    .slice(0, query.limit);
  assert.deepEqual(
    found.map(({ generation }) => generation),
    expected.map(({ object }) => object.generation),
  );
  for (const [at, { cosine }] of found.entries())
    assert.ok(Math.abs(cosine - (expected[at]?.cosine as number)) < tolerance);
}

/** Between -1 and 1, the same at every run. */
function randomNumbers(): () => number {
  let state = 12_345;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 2 ** 30 - 1;
  };
}
