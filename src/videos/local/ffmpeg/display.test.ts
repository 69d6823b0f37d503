import assert from 'node:assert/strict';
import { test } from 'node:test';
import { turnOf } from './display.ts';

/** Of the nine numbers those that turn and mirror, with 16 bits after the point. */
function matrix(a: number, b: number, c: number, d: number): Buffer {
  const bytes = Buffer.alloc(36);
  [a, b, 0, c, d].forEach((part, index) => bytes.writeInt32LE(part * 65_536, index * 4));
  return bytes;
}

test('the matrix beside a stream tells how it is turned and mirrored', () => {
  const cases: [Buffer | null, number, boolean][] = [
    [null, 0, false],
    [Buffer.alloc(8), 0, false],
    [matrix(1, 0, 0, 1), 0, false],
    [matrix(0, 1, -1, 0), 90, false],
    [matrix(-1, 0, 0, -1), 180, false],
    [matrix(0, -1, 1, 0), 270, false],
    [matrix(-1, 0, 0, 1), 0, true],
    [matrix(1, 0, 0, -1), 180, true],
    [matrix(0, 1, 1, 0), 270, true],
  ];
  for (const [bytes, rotation, mirrored] of cases) assert.deepEqual(turnOf(bytes), { rotation, mirrored });
});
