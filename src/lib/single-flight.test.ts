import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SingleFlight } from './single-flight.ts';

test('all who ask while the work runs share it, and the next starts anew', async () => {
  const flight = new SingleFlight<number>();
  let started = 0;
  const work = async (): Promise<number> => {
    started += 1;
    await new Promise(setImmediate);
    return started;
  };
  assert.deepEqual(
    await Promise.all([flight.run('a', work), flight.run('a', work), flight.run('b', work)]),
    [2, 2, 2],
  );
  assert.equal(await flight.run('a', work), 3);
});

test('a failure reaches all who share it and is not remembered', async () => {
  const flight = new SingleFlight<string>();
  const fail = (): Promise<string> => Promise.reject(new Error('no'));
  const results = await Promise.allSettled([flight.run('a', fail), flight.run('a', fail)]);
  assert.deepEqual(
    results.map((result) => result.status),
    ['rejected', 'rejected'],
  );
  assert.equal(await flight.run('a', async () => 'yes'), 'yes');
});
