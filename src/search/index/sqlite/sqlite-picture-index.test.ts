import assert from 'node:assert/strict';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { openTempIndex, type TempIndex, unitVector } from '../../../../test/support/picture-index.ts';
import type { NearestQuery } from '../picture-index.ts';
import { openSqlitePictureIndex } from './sqlite-picture-index.ts';

const vector = unitVector([1, 2, 3]);
const space = { model: 'a', dimensions: 3 };

async function onePicture(temp: TempIndex): Promise<{ query: NearestQuery; generation: string }> {
  const account = await temp.newAccount();
  const [object] = await temp.addObjects(account, 1);
  assert.ok(object);
  const { generation, account_id: accountId, seq } = object;
  await temp.database.write((tx) => temp.index.keepVector(tx, { generation, accountId, seq, space, vector }));
  return { query: { accountId, space, vector, minCosine: 0, limit: 10, among: null }, generation };
}

test('a thread that dies fails the questions it had, and the next question is answered by another', async () => {
  await using temp = await openTempIndex();
  const { query, generation } = await onePicture(temp);
  const threads: Worker[] = [];
  const notice = (thread: Worker): void => void threads.push(thread);
  process.on('worker', notice);
  const index = temp.openIndex();
  assert.equal((await index.nearest(query)).length, 1);
  await turn();
  // So many that it cannot have answered the last of them when it ends.
  const waiting = Array.from({ length: 5000 }, () => index.vectorOf(generation));
  const settled = Promise.allSettled(waiting);
  await threads.at(-1)?.terminate();
  assert.equal((await settled).at(-1)?.status, 'rejected');
  assert.deepEqual(
    (await index.nearest(query)).map((found) => found.generation),
    [generation],
  );
  await turn();
  assert.equal(threads.length, 2);
  process.off('worker', notice);
});

test('an index that could not be opened is opened by a later question', async () => {
  await using temp = await openTempIndex();
  const { query } = await onePicture(temp);
  await temp.database.close();
  const folder = await mkdtemp(join(tmpdir(), 'tintype-index-'));
  const file = join(folder, 'moved.db');
  const index = openSqlitePictureIndex({ file });
  await assert.rejects(index.nearest(query), Error);
  await temp.index.close();
  await rename(temp.file, file);
  assert.equal((await index.nearest(query)).length, 1);
  await index.close();
  await rm(folder, { recursive: true });
});

test('a deletion that is undone was never seen', async () => {
  await using temp = await openTempIndex();
  const { query } = await onePicture(temp);
  await assert.rejects(
    temp.database.write(async (tx) => {
      await tx.deleteFrom('objects').where('account_id', '=', query.accountId).execute();
      assert.equal((await temp.index.nearest(query)).length, 1);
      throw new Error('undone');
    }),
    /undone/,
  );
  assert.equal((await temp.index.nearest(query)).length, 1);
});
