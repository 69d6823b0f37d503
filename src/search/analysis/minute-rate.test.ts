import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newTestAccount } from '../../../test/support/object-rows.ts';
import { openTempDatabase, type TempDatabase } from '../../../test/support/temp-database.ts';
import type { Database } from '../../platform/database/database.ts';
import { nextRoomAt, takeFromMinute } from './minute-rate.ts';

const day = 86_400_000;
const perMinute = 3;

describe('the pictures an account may begin in a minute', () => {
  let temp: TempDatabase;
  before(async () => {
    temp = await openTempDatabase();
  });
  after(() => temp[Symbol.asyncDispose]());

  const at = (now: number): Database => Object.create(temp.database, { now: { value: () => now } });
  const take = (accountId: string, now: number, wanted: number): Promise<number> =>
    takeFromMinute(at(now), accountId, { wanted, perMinute });
  const nextAt = (accountId: string, now: number): Promise<number> =>
    nextRoomAt(temp.database.read, accountId, { perMinute, now });
  const accountId = async (): Promise<string> => (await newTestAccount(temp.database)).account_id;

  test('are so many, then none until a minute after the first, and each account has its own', async () => {
    const [one, other] = [await accountId(), await accountId()];
    assert.equal(await take(one, day, 2), 2);
    assert.equal(await nextAt(one, day + 1), 0);
    assert.equal(await take(one, day + 1000, 2), 1);
    assert.equal(await take(one, day + 59_999, 1), 0);
    assert.equal(await nextAt(one, day + 59_999), day + 60_000);
    assert.equal(await take(other, day + 59_999, 1), 1);
    assert.equal(await take(one, day + 60_000, 5), 3);
  });

  test('are counted for all who take at once', async () => {
    const one = await accountId();
    const taken = await Promise.all(Array.from({ length: 8 }, () => take(one, day, 1)));
    assert.equal(taken.filter((count) => count === 1).length, perMinute);
  });

  test('do not wait for a clock that was put back', async () => {
    const one = await accountId();
    assert.equal(await take(one, 2 * day, 3), 3);
    assert.deepEqual([await take(one, 2 * day, 1), await nextAt(one, day)], [0, 0]);
    assert.equal(await take(one, day, 3), 3);
    assert.equal(await nextAt(one, day), day + 60_000);
  });
});
