// The part of the contract that is about when: what a question sees, and what closing means.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { NearestQuery } from '../../src/search/index/picture-index.ts';
import { type IndexUnderTest, unitVector } from '../support/picture-index.ts';

const vector = unitVector([1, 2, 3]);
const space = { model: 'a', dimensions: 3 };

export function pictureIndexMoments(open: () => Promise<IndexUnderTest>): void {
  let temp: IndexUnderTest;
  before(async () => {
    temp = await open();
  });
  after(() => temp[Symbol.asyncDispose]());

  test('what was committed before a question is seen by it, by every index, and nothing that was not', async () => {
    const other = temp.openIndex();
    const account = await temp.newAccount();
    const { account_id: accountId } = account;
    const query: NearestQuery = { accountId, space, vector, minCosine: 0, limit: 100, among: null };
    const objects = await temp.addObjects(account, 40);
    for (const [at, { generation, seq }] of objects.entries()) {
      await temp.database.write((tx) =>
        temp.index.keepVector(tx, { generation, accountId, seq, space, vector }),
      );
      const found = await Promise.all([temp.index.nearest(query), other.nearest(query)]);
      for (const answer of found) assert.equal(answer.length, at + 1);
    }
    await assert.rejects(
      temp.database.write(async (tx) => {
        await tx.deleteFrom('objects').where('account_id', '=', accountId).execute();
        throw new Error('undone');
      }),
      /undone/,
    );
    for (const [at, { generation }] of objects.entries()) {
      await temp.deleteObject(generation);
      for (const answer of await Promise.all([temp.index.nearest(query), other.nearest(query)])) {
        assert.equal(answer.length, objects.length - at - 1);
        assert.ok(answer.every((each) => each.generation !== generation));
      }
    }
    assert.equal(await temp.index.vectorOf(objects[0]?.generation ?? ''), null);
    assert.equal(await temp.index.count(accountId, 'a'), 0);
  });

  test('closing answers what was asked before and refuses what comes after', async () => {
    const account = await temp.newAccount();
    const { account_id: accountId } = account;
    const query: NearestQuery = { accountId, space, vector, minCosine: 0, limit: 100, among: null };
    for (const { generation, seq } of await temp.addObjects(account, 1))
      await temp.database.write((tx) =>
        temp.index.keepVector(tx, { generation, accountId, seq, space, vector }),
      );
    const index = temp.openIndex();
    const asked = Array.from({ length: 20 }, () => index.nearest(query));
    const closed = index.close();
    await assert.rejects(index.nearest(query), /closed/);
    for (const answer of await Promise.all(asked)) assert.equal(answer.length, 1);
    await closed;
    await index.close();
    await assert.rejects(index.count(accountId, 'a'), /closed/);
  });

  test('an index that was never asked can be closed', async () => {
    await temp.openIndex().close();
  });
}
