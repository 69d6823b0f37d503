import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MinuteRate } from './minute-rate.ts';

test('each account may begin so many in a minute, and again in the next', () => {
  const rate = new MinuteRate(3);
  for (let taken = 0; taken < 3; taken++) {
    assert.equal(rate.left('a', 1000 + taken), 3 - taken);
    assert.equal(rate.nextAt('a', 1000 + taken), 0);
    rate.take('a', 1000 + taken);
  }
  assert.equal(rate.left('a', 60_999), 0);
  assert.equal(rate.nextAt('a', 60_999), 61_000);
  assert.equal(rate.left('b', 1003), 3);
  assert.equal(rate.left('a', 61_000), 3);
  rate.take('a', 61_000);
  assert.equal(rate.left('a', 61_001), 2);
});

test('a clock that is put back does not hold up an account', () => {
  const rate = new MinuteRate(1);
  const day = 86_400_000;
  rate.take('a', 2 * day);
  assert.equal(rate.left('a', 2 * day), 0);
  assert.deepEqual([rate.left('a', day), rate.nextAt('a', day)], [1, 0]);
  rate.take('a', day);
  assert.deepEqual([rate.left('a', day), rate.nextAt('a', day)], [0, day + 60_000]);
});
