import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ProviderFault } from '../ai-provider.ts';
import { readVector } from './read-vector.ts';

const holding = (embedding: unknown): unknown => ({ data: [{ index: 0, embedding }] });
const base64 = (numbers: number[]): string =>
  Buffer.from(Float32Array.from(numbers).buffer).toString('base64');

describe('a vector', () => {
  test('has length one, however long it was', () => {
    const expected = Float32Array.from([0.6, -0.8, 0]);
    for (const size of [1, 1e-6, 3e7, 1e300, 1e-300]) {
      const vector = readVector(holding([3 * size, -4 * size, 0]));
      assert.deepEqual(vector, expected, String(size));
    }
    assert.deepEqual(readVector(holding([0.1, 0.1])), Float32Array.from([Math.SQRT1_2, Math.SQRT1_2]));
  });

  test('may come as bytes', () => {
    const numbers = [1, -2, 2];
    assert.deepEqual(readVector(holding(base64(numbers))), readVector(holding(numbers)));
  });

  test('that is none is a fault of the answer', () => {
    const none = [
      undefined,
      null,
      7,
      '',
      'text!',
      'AAAA',
      base64([1, Number.NaN]),
      base64([1, Number.POSITIVE_INFINITY]),
      base64([0, 0]),
      base64([1]),
      [],
      [1],
      [1, null],
      [1, '2'],
      [1, 'NaN'],
      ['1', '2'],
      [[1, 2]],
      [0, 0, -0],
      [1, Number.POSITIVE_INFINITY],
      { 0: 1, 1: 2, length: 2 },
      Array.from({ length: 4097 }, () => 1),
    ];
    const answers = [
      ...none.map(holding),
      null,
      'text',
      [],
      {},
      { data: [] },
      { data: {} },
      { data: [[1, 2]] },
    ];
    for (const answer of answers) {
      assert.throws(
        () => readVector(answer),
        (fault) => fault instanceof ProviderFault && fault.kind === 'answer',
        JSON.stringify(answer)?.slice(0, 100),
      );
    }
  });
});
