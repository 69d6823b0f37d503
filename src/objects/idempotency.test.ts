import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openTempDatabase, type TempDatabase } from '../../test/support/temp-database.ts';
import { parseIdempotencyKey, recall, remember } from './idempotency.ts';

describe('answers kept for repeats', () => {
  let temp: TempDatabase;
  before(async () => {
    temp = await openTempDatabase();
  });
  after(() => temp[Symbol.asyncDispose]());

  test('are of one account and one key, and the newest stands', async () => {
    const { database } = temp;
    await database.write((tx) => remember(tx, 'a', 'key', 'first'));
    await database.write((tx) => remember(tx, 'b', 'key', 'of another'));
    assert.equal(await recall(database.read, 'a', 'key'), 'first');
    assert.equal(await recall(database.read, 'b', 'key'), 'of another');
    assert.equal(await recall(database.read, 'a', 'KEY'), undefined);
    assert.equal(await recall(database.read, 'c', 'key'), undefined);
    await database.write((tx) => remember(tx, 'a', 'key', 'second'));
    assert.equal(await recall(database.read, 'a', 'key'), 'second');
  });

  test('one that ran out is renewed under the same key', async () => {
    const { database } = temp;
    await database.write(async (tx) => {
      await remember(tx, 'a', 'aged', 'first');
      await tx.updateTable('idempotency').set({ created_at: 1 }).where('key', '=', 'aged').execute();
    });
    assert.equal(await recall(database.read, 'a', 'aged'), undefined);
    await database.write((tx) => remember(tx, 'a', 'aged', 'second'));
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
