import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Refusals } from './refusals.ts';

test('the first refusal is told at once, those that follow together', async () => {
  const told: object[] = [];
  const refusals = new Refusals({ warn: (fields: object) => void told.push(fields) }, { everyMs: 30 });
  refusals.note();
  assert.deepEqual(told, [{ refused: 1 }]);
  for (let i = 0; i < 1000; i++) refusals.note();
  assert.equal(told.length, 1);
  await delay(100);
  assert.deepEqual(told, [{ refused: 1 }, { refused: 1000 }]);
  await delay(100);
  assert.equal(told.length, 2);
  refusals.note();
  assert.equal(told.length, 3);
});
