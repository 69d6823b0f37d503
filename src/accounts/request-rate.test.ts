import assert from 'node:assert/strict';
import { describe, mock, test } from 'node:test';
import { createRequestRate, rateHeaders } from './request-rate.ts';

async function allowedOf(attempts: number, perMinute: number, rate = createRequestRate()): Promise<number> {
  let allowed = 0;
  for (let i = 0; i < attempts; i++) if ((await rate.count('acc', perMinute)).allowed) allowed += 1;
  return allowed;
}

describe('request rate', () => {
  test('allows exactly the quota, apart for each account', async () => {
    const rate = createRequestRate();
    assert.equal(await allowedOf(50, 7, rate), 7);
    assert.equal((await rate.count('other', 7)).allowed, true);
  });

  test('a fraction is a whole number of requests in a longer or shorter window', async () => {
    const rate = createRequestRate();
    const half = await rate.count('a', 0.5);
    assert.deepEqual([half.quota, half.windowSeconds, half.remaining], [1, 120, 0]);
    const more = await rate.count('b', 2.5);
    assert.deepEqual([more.quota, more.windowSeconds, more.remaining], [2, 48, 1]);
    assert.equal(await allowedOf(10, 0.5), 1);
    assert.equal(await allowedOf(10, 2.5), 2);
  });

  test('a changed limit holds from the next request on, both ways', async () => {
    const rate = createRequestRate();
    assert.equal(await allowedOf(3, 2, rate), 2);
    assert.equal(await allowedOf(10, 5, rate), 5);
    assert.equal(await allowedOf(10, 1, rate), 1);
  });

  test('begins anew when the window has passed', async () => {
    mock.timers.enable({ apis: ['Date', 'setTimeout'] });
    try {
      const rate = createRequestRate();
      assert.equal(await allowedOf(5, 2, rate), 2);
      mock.timers.tick(59_000);
      const refused = await rate.count('acc', 2);
      assert.deepEqual([refused.allowed, refused.resetSeconds], [false, 1]);
      mock.timers.tick(1001);
      assert.equal(await allowedOf(5, 2, rate), 2);
    } finally {
      mock.timers.reset();
    }
  });

  test('says so in both kinds of headers', () => {
    const rate = { allowed: true, quota: 120, windowSeconds: 60, remaining: 7, resetSeconds: 31 };
    assert.deepEqual(rateHeaders(rate), {
      'RateLimit-Policy': '"api";q=120;w=60',
      RateLimit: '"api";r=7;t=31',
      'RateLimit-Limit': '120',
      'RateLimit-Remaining': '7',
      'RateLimit-Reset': '31',
    });
  });
});
