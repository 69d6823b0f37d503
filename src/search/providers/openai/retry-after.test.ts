import assert from 'node:assert/strict';
import { test } from 'node:test';
import { retryAfterMs } from './retry-after.ts';

const now = Date.parse('2026-11-02T10:00:00Z');
const hour = 3_600_000;

test('how long to stay away is read from seconds, dates and milliseconds, and is an hour at most', () => {
  const cases: [Record<string, string>, number | null][] = [
    [{}, null],
    [{ 'retry-after': '7' }, 7000],
    [{ 'retry-after': ' 7 ' }, 7000],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': '0.25' }, 250],
    [{ 'retry-after': '3601' }, hour],
    [{ 'retry-after': '999999999999' }, hour],
    [{ 'retry-after': 'Mon, 02 Nov 2026 10:00:30 GMT' }, 30_000],
    [{ 'retry-after': 'Mon, 02 Nov 2026 09:00:00 GMT' }, 0],
    [{ 'retry-after': 'Wed, 02 Dec 2026 10:00:00 GMT' }, hour],
    [{ 'retry-after-ms': '120' }, 120],
    [{ 'retry-after-ms': '120', 'retry-after': '7' }, 120],
    [{ 'retry-after-ms': 'soon', 'retry-after': '7' }, 7000],
    ...['soon', '', '-5', '1e9', 'NaN', 'Infinity', 'soon 7', 'Mon, 99 Foo 2026', '9'.repeat(400)].map(
      (word): [Record<string, string>, null] => [{ 'retry-after': word }, null],
    ),
  ];
  for (const [headers, expected] of cases)
    assert.equal(retryAfterMs(headers, now), expected, JSON.stringify(headers));
});
