import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  chances,
  follow,
  type Kept,
  keepAll,
  plainly,
  question,
  stepsWith,
} from '../../../../test/support/kept-vectors.ts';
import { openTempIndex, type TempIndex, unitVector } from '../../../../test/support/picture-index.ts';
import type { Account } from '../../../accounts/tables.ts';
import { amongSeqs, type Neighbour } from '../picture-index.ts';

test('answers to the last bit what a look at all vectors answers', async () => {
  await using temp = await openTempIndex();
  await fc.assert(
    fc.asyncProperty(stepsWith([-2, 0, 0.5]), (steps) =>
      follow(temp, steps, (found, kept, query, seqs) =>
        assert.deepEqual(found, plainly(kept, query, { seqs })),
      ),
    ),
    { numRuns: 60 },
  );
});

describe('many vectors without order', () => {
  const dimensions = 64;
  const count = 6000;
  const chance = chances();
  const randomVector = (): Float32Array => unitVector(Array.from({ length: dimensions }, chance));

  async function fill(temp: TempIndex): Promise<{ account: Account; kept: Kept[] }> {
    const account = await temp.newAccount();
    const objects = await temp.addObjects(account, count);
    const kept = objects.map((object) => ({ object, model: 'a', vector: randomVector() }));
    await keepAll(temp, kept);
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
        const expected = plainly(kept, query, { seqs });
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
});
