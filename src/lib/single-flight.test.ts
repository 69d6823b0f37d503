import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSingleFlight } from './single-flight.ts';

test('all who ask while the work runs share it, and the next starts anew', async () => {
  const flight = createSingleFlight<number>();
  let started = 0;
  const work = async (): Promise<number> => {
    started += 1;
    await new Promise(setImmediate);
    return started;
  };
  assert.deepEqual(await Promise.all([flight('a', work), flight('a', work), flight('b', work)]), [2, 2, 2]);
  assert.equal(await flight('a', work), 3);
});

test('a failure reaches all who share it and is not remembered', async () => {
  const flight = createSingleFlight<string>();
  const fail = (): Promise<string> => Promise.reject(new Error('no'));
  const results = await Promise.allSettled([flight('a', fail), flight('a', fail)]);
  assert.deepEqual(
    results.map((result) => result.status),
    ['rejected', 'rejected'],
  );
  assert.equal(await flight('a', async () => 'yes'), 'yes');
});
