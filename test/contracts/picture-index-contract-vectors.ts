// The part of the contract that is about vectors. Cosines are compared to the sixth digit, which is what the API tells.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import type { ObjectRow } from '../../src/objects/tables.ts';
import { amongSeqs, type NearestQuery, type Neighbour } from '../../src/search/index/picture-index.ts';
import {
  chances,
  follow,
  type Kept,
  keepAll,
  plainly,
  question,
  stepsWith,
} from '../support/kept-vectors.ts';
import { type IndexUnderTest, unitVector } from '../support/picture-index.ts';

const tolerance = 1e-6;
/** None that a cosine of small vectors could equal but for rounding. */
const minCosines = [-2, 0.1, 0.45];

export function pictureIndexVectors(open: () => Promise<IndexUnderTest>): void {
  let temp: IndexUnderTest;
  before(async () => {
    temp = await open();
  });
  after(() => temp[Symbol.asyncDispose]());

  test('answers what a look at all vectors answers, whatever was kept, replaced and deleted before', async () => {
    await fc.assert(
      fc.asyncProperty(stepsWith(minCosines), (steps) => follow(temp, steps, assertSame)),
      { numRuns: 30 },
    );
  });

  test('of many, a filter loses nothing, and what is nearest comes first', async () => {
    const account = await temp.newAccount();
    const objects = await temp.addObjects(account, 3000);
    const chance = chances();
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
    const chance = chances();
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

/** With all vectors looked at one after another. */
function assertSame(
  found: readonly Neighbour[],
  kept: readonly Kept[],
  query: NearestQuery,
  seqs?: ReadonlySet<number>,
): void {
  const expected = plainly(kept, query, { seqs, tolerance });
  assert.deepEqual(
    found.map(({ generation }) => generation),
    expected.map(({ generation }) => generation),
  );
  for (const [at, { cosine }] of found.entries())
    assert.ok(Math.abs(cosine - (expected[at]?.cosine as number)) < tolerance);
}
