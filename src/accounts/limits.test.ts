import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { limitsOf } from './limits.ts';
import { limitToBytes, limitToSeconds, parseIsoTime, toKilobytes, toMinutes } from './units.ts';

const nothingOwn = {
  storage_limit_bytes: null,
  video_seconds_limit: null,
  rate_limit_per_minute: null,
  variants_per_minute: null,
};

describe('limits', () => {
  test('follow the tier', () => {
    assert.deepEqual(limitsOf({ tier: 'free', ...nothingOwn }), {
      storageBytes: 104_857_600,
      videoSeconds: 1800,
      requestsPerMinute: 120,
      variantsPerMinute: 60,
      variantsBurst: 1000,
      maxImageBytes: 26_214_400,
      maxVideoBytes: 524_288_000,
    });
    assert.deepEqual(limitsOf({ tier: 'pro', ...nothingOwn }), {
      storageBytes: 10_737_418_240,
      videoSeconds: 60_000,
      requestsPerMinute: 1200,
      variantsPerMinute: 600,
      variantsBurst: 5000,
      maxImageBytes: 104_857_600,
      maxVideoBytes: 5_368_709_120,
    });
    assert.ok(
      Object.values(limitsOf({ tier: 'enterprise', ...nothingOwn })).every((limit) => limit === null),
    );
  });

  test('an account’s own stand above the tier’s, zero too', () => {
    const own = {
      storage_limit_bytes: 0,
      video_seconds_limit: 90,
      rate_limit_per_minute: 0.5,
      variants_per_minute: 6,
    };
    const limits = limitsOf({ tier: 'free', ...own });
    assert.equal(limits.storageBytes, 0);
    assert.equal(limits.videoSeconds, 90);
    assert.equal(limits.requestsPerMinute, 0.5);
    assert.deepEqual([limits.variantsPerMinute, limits.variantsBurst], [6, 100]);
    assert.equal(limits.maxImageBytes, 26_214_400);
    assert.equal(limitsOf({ tier: 'enterprise', ...own }).variantsBurst, 50);
    assert.equal(limitsOf({ tier: 'pro', ...own, variants_per_minute: 0 }).variantsBurst, 0);
    assert.equal(limitsOf({ tier: 'pro', ...own, variants_per_minute: 0.01 }).variantsBurst, 1);
  });
});

describe('units', () => {
  test('limits round down to whole bytes and seconds, what is shown has two decimals', () => {
    assert.equal(limitToBytes(0.5), 512);
    assert.equal(limitToBytes(10.0005), 10_240);
    assert.equal(limitToSeconds(0.99), 59);
    assert.equal(limitToSeconds(2.05), 123);
    assert.equal(toKilobytes(1234), 1.21);
    assert.equal(toKilobytes(104_857_600), 102_400);
    assert.equal(toMinutes(100), 1.67);
  });

  test('times must be of the calendar and say their zone', () => {
    assert.equal(parseIsoTime('2031-01-02T03:04:05Z'), Date.UTC(2031, 0, 2, 3, 4, 5));
    assert.equal(parseIsoTime('2031-01-02T03:04:05.678+01:00'), Date.UTC(2031, 0, 2, 2, 4, 5, 678));
    assert.equal(parseIsoTime('2031-01-02T03:04Z'), Date.UTC(2031, 0, 2, 3, 4));
    assert.equal(parseIsoTime('2031-01-02'), Date.UTC(2031, 0, 2));
    assert.equal(parseIsoTime('2032-02-29'), Date.UTC(2032, 1, 29));
    const wrong = [
      '',
      'tomorrow',
      '2031',
      '2031-02-29',
      '2031-04-31',
      '2031-13-01',
      '2031-00-10',
      '2031-01-00',
    ];
    const alsoWrong = [
      '2031-01-02T03:04:05',
      '2031-01-02T25:00Z',
      '2031-01-02 03:04:05Z',
      '1924992000000',
      '2031-1-2',
    ];
    for (const text of [...wrong, ...alsoWrong]) assert.equal(parseIsoTime(text), null, text);
  });
});
