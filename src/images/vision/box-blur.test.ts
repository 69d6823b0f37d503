import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boxBlur } from './box-blur.ts';
import type { Plane } from './plane.ts';

function slowMean({ width, height, data }: Plane, x: number, y: number, radius: number): number {
  let sum = 0;
  let count = 0;
  for (let row = Math.max(0, y - radius); row <= Math.min(height - 1, y + radius); row += 1) {
    for (let column = Math.max(0, x - radius); column <= Math.min(width - 1, x + radius); column += 1) {
      sum += data[row * width + column] ?? NaN;
      count += 1;
    }
  }
  return sum / count;
}

test('every pixel is the mean of the square around it, for all shapes and radii', () => {
  for (const [width = 1, height = 1] of [
    [1, 1],
    [7, 5],
    [1, 9],
    [12, 2],
  ]) {
    const data = Float32Array.from({ length: width * height }, (_, at) => ((at * 7919) % 101) / 100);
    for (const radius of [0, 1, 3, 20]) {
      const plane = { width, height, data };
      const blurred = boxBlur(plane, radius).data;
      blurred.forEach((value, at) => {
        const expected = slowMean(plane, at % width, Math.floor(at / width), radius);
        assert.ok(Math.abs(value - expected) < 1e-5, `${width}×${height}, radius ${radius}, at ${at}`);
      });
    }
  }
});
