import assert from 'node:assert/strict';
import { test } from 'node:test';
import { convolve3x3, convolveDepthwise, convolvePointwise, leak, maxPool } from './convolution.ts';
import type { Layer } from './convolution.ts';

function layer(width: number, height: number, channels: number, numbers?: number[]): Layer {
  const length = width * height * channels;
  return {
    width,
    height,
    channels,
    data: Float32Array.from(numbers ?? Array.from({ length }, (_, at) => at)),
  };
}

test('3×3: each output sums its weights over the patch', () => {
  const filters = new Float32Array(9 * 2);
  filters[4 * 2] = 1;
  filters.forEach((_, at) => at % 2 === 1 && (filters[at] = 1));
  const result = convolve3x3(layer(4, 3, 1), filters, Float32Array.of(0, 100));
  assert.deepEqual([result.width, result.height, [...result.data]], [2, 1, [5, 145, 6, 154]]);
});

test('depthwise: zeros lie beyond the border, channels do not mix', () => {
  const filters = new Float32Array(18).fill(1);
  const ones = layer(3, 2, 2, [1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10]);
  assert.deepEqual([...convolveDepthwise(ones, filters).data], [4, 40, 6, 60, 4, 40, 4, 40, 6, 60, 4, 40]);
});

test('pointwise: also when the pixels are no multiple of four', () => {
  const filters = Float32Array.of(1, 0, 2, 10, 0, 3);
  const result = convolvePointwise(layer(5, 1, 2), filters, Float32Array.of(0, 1, 0));
  assert.deepEqual([...result.data], [10, 1, 3, 32, 1, 13, 54, 1, 23, 76, 1, 33, 98, 1, 43]);
});

test('pooling takes the largest, and what is left at the border', () => {
  const three = layer(3, 3, 1);
  assert.deepEqual([...maxPool(three, 2).data], [4, 5, 7, 8]);
  assert.deepEqual([...maxPool(three, 1).data], [4, 5, 5, 7, 8, 8, 7, 8, 8]);
});

test('negative numbers count a tenth', () => {
  assert.deepEqual([...leak(layer(1, 1, 3, [-10, 0, 10])).data], [-1, 0, 10]);
});
