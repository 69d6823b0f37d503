import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AdaptiveLimit } from './adaptive-limit.ts';

describe('how many calls at once', () => {
  test('begins small, rises with every success, and has an end', () => {
    const limit = new AdaptiveLimit();
    assert.equal(limit.current, 2);
    for (let call = 0; call < 10; call++) limit.succeeded();
    assert.equal(limit.current, 12);
    for (let call = 0; call < 100; call++) limit.succeeded();
    assert.equal(limit.current, 32);
  });

  test('is halved once by all that were under way together, and never nothing', () => {
    const limit = new AdaptiveLimit();
    for (let call = 0; call < 30; call++) limit.succeeded();
    for (const begunAt of [1, 2, 3]) limit.tooMany(begunAt, 10);
    assert.equal(limit.current, 16);
    limit.tooMany(11, 20);
    assert.equal(limit.current, 8);
    for (let round = 3; round < 10; round++) limit.tooMany(round * 10 + 1, round * 10 + 2);
    assert.equal(limit.current, 1);
  });

  test('can start anew with one', () => {
    const limit = new AdaptiveLimit();
    for (let call = 0; call < 10; call++) limit.succeeded();
    limit.startAnew();
    assert.equal(limit.current, 1);
    limit.succeeded();
    assert.equal(limit.current, 2);
  });
});
