import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openTempDatabase, type TempDatabase } from '../../test/support/temp-database.ts';
import { parseIdempotencyKey, recall, rememberFirst } from './idempotency.ts';

describe('answers kept for repeats', () => {
  let temp: TempDatabase;
  before(async () => {
    temp = await openTempDatabase();
  });
  after(() => temp[Symbol.asyncDispose]());

  const remember = (accountId: string, key: string, answer: string): Promise<void> =>
    temp.database.writeBatch([rememberFirst(accountId, key, answer, () => new Error('kept already'))]);

  test('are of one account and one key, and the first stands', async () => {
    const { database } = temp;
    await remember('a', 'key', 'first');
    await remember('b', 'key', 'of another');
    assert.equal(await recall(database.read, 'a', 'key'), 'first');
    assert.equal(await recall(database.read, 'b', 'key'), 'of another');
    assert.equal(await recall(database.read, 'a', 'KEY'), undefined);
    assert.equal(await recall(database.read, 'c', 'key'), undefined);
    await assert.rejects(remember('a', 'key', 'second'), /kept already/);
    assert.equal(await recall(database.read, 'a', 'key'), 'first');
  });

  test('one that ran out is renewed under the same key', async () => {
    const { database } = temp;
    await remember('a', 'aged', 'first');
    await database.write(async (tx) => {
      await tx.updateTable('idempotency').set({ created_at: 1 }).where('key', '=', 'aged').execute();
    });
    assert.equal(await recall(database.read, 'a', 'aged'), undefined);
    await remember('a', 'aged', 'second');
    assert.equal(await recall(database.read, 'a', 'aged'), 'second');
  });

  test('their key is 1 to 255 visible ASCII characters', () => {
    assert.equal(parseIdempotencyKey(undefined), undefined);
    for (const good of ['a', '8e03978e-40d5-43e8-bc93-6894a57f9324', '"quoted"', 'x'.repeat(255)])
      assert.equal(parseIdempotencyKey(good), good);
    for (const bad of ['', ' ', 'a b', 'a\n', 'ä', 'x'.repeat(256), ['a', 'b']])
      assert.throws(() => parseIdempotencyKey(bad), { code: 'bad_request', message: /Idempotency-Key/ });
  });
});
