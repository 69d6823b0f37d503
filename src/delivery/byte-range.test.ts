import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { parseRange } from './byte-range.ts';

const all = null;
const none = 'unsatisfiable';

describe('byte ranges', () => {
  test('as RFC 9110 has them, over 10000 bytes', () => {
    for (const [header, expected] of [
      [undefined, all],
      ['bytes=0-499', { start: 0, end: 499 }],
      ['bytes=500-999', { start: 500, end: 999 }],
      ['bytes=-500', { start: 9500, end: 9999 }],
      ['bytes=9500-', { start: 9500, end: 9999 }],
      ['bytes=0-0', { start: 0, end: 0 }],
      ['bytes=-1', { start: 9999, end: 9999 }],
      ['bytes=0-', { start: 0, end: 9999 }],
      ['bytes=9999-', { start: 9999, end: 9999 }],
      ['bytes=9999-9999', { start: 9999, end: 9999 }],
      [' bytes=0-499 ', { start: 0, end: 499 }],
      ['Bytes=0-499', { start: 0, end: 499 }],
      // Ends past the end are cut.
      ['bytes=9000-10000', { start: 9000, end: 9999 }],
      [`bytes=0-${'9'.repeat(400)}`, { start: 0, end: 9999 }],
      ['bytes=-10001', { start: 0, end: 9999 }],
      [`bytes=-${'9'.repeat(400)}`, { start: 0, end: 9999 }],
      // Nothing of it is there.
      ['bytes=10000-', none],
      ['bytes=10000-10001', none],
      [`bytes=${'9'.repeat(400)}-`, none],
      ['bytes=-0', none],
      // Not a valid range: as if there was none.
      ['bytes=5-4', all],
      [`bytes=${'9'.repeat(30)}-0`, all],
      ['bytes=-', all],
      ['bytes=', all],
      ['bytes', all],
      ['', all],
      ['bytes=a-b', all],
      ['bytes=0x0-0x10', all],
      ['bytes=1.5-2', all],
      ['bytes=+0-1', all],
      ['bytes=--1', all],
      ['bytes=0-1-2', all],
      ['bytes=٠-٩', all],
      ['bytes 0-499', all],
      ['items=0-499', all],
      ['lines=1-2', all],
      // Several are answered with everything.
      ['bytes=0-0,-1', all],
      ['bytes=500-600,601-999', all],
      ['bytes=0-1, 3-4', all],
      [`bytes=${'0-,'.repeat(5000)}0-`, all],
    ] as const)
      assert.deepEqual(parseRange(header, 10_000), expected, header?.slice(0, 60));
  });

  test('nothing of an empty file can be asked for', () => {
    for (const header of ['bytes=0-', 'bytes=0-0', 'bytes=-1', 'bytes=5-'])
      assert.equal(parseRange(header, 0), none);
    assert.equal(parseRange(undefined, 0), all);
  });

  test('a range that can be satisfied lies inside the file and is what was asked for', () => {
    const number = fc.oneof(
      fc.nat(200),
      fc.nat(),
      fc.constantFrom(2 ** 31, 2 ** 32, Number.MAX_SAFE_INTEGER),
    );
    fc.assert(
      fc.property(fc.option(number), fc.option(number), fc.nat(150), (first, last, size) => {
        const range = parseRange(`bytes=${first ?? ''}-${last ?? ''}`, size);
        const wanted = Array.from({ length: size }, (_, at) => at).filter((at) =>
          first === null ? at >= size - (last ?? 0) : at >= first && (last === null || at <= last),
        );
        if (first === null && last === null) return assert.equal(range, all);
        if (first !== null && last !== null && last < first) return assert.equal(range, all);
        if (wanted.length === 0) return assert.equal(range, none);
        assert.deepEqual(range, { start: wanted[0], end: wanted.at(-1) });
      }),
      { numRuns: 1000 },
    );
  });

  test('any header gives a range inside, everything, or nothing; never a throw', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...Array.from('bytes=0123456789-, \t')) }),
        fc.nat(50),
        (tail, size) => {
          for (const header of [tail, `bytes=${tail}`]) {
            const range = parseRange(header, size);
            if (range === all || range === none) continue;
            assert.ok(0 <= range.start && range.start <= range.end && range.end < size);
          }
        },
      ),
      { numRuns: 1000 },
    );
  });
});
