import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boxBlur } from './box-blur.ts';
import { applyLinearModel, fitGuidedFilter } from './guided-filter.ts';
import type { Guide } from './guided-filter.ts';
import type { Plane } from './plane.ts';

const size = { width: 40, height: 30 };
const options = { radius: 4, epsilon: 1e-4 };

function plane(value: (x: number, y: number) => number): Plane {
  const at = (index: number): number => value(index % size.width, Math.floor(index / size.width));
  return { ...size, data: Float32Array.from({ length: size.width * size.height }, (_, index) => at(index)) };
}

function filter(grey: Plane, matte: Plane): Float32Array {
  const guide: Guide = [grey, grey, grey];
  const rgb = Uint8Array.from({ length: grey.data.length * 3 }, (_, at) =>
    Math.round((grey.data[Math.floor(at / 3)] ?? 0) * 255),
  );
  return applyLinearModel(fitGuidedFilter(guide, matte, options), rgb, size).data;
}

test('a guide without any edge leaves two blurs', () => {
  const matte = plane((x, y) => ((x * 13 + y * 7) % 5) / 5);
  const expected = boxBlur(boxBlur(matte, options.radius), options.radius).data;
  filter(
    plane(() => 0.5),
    matte,
  ).forEach((value, at) => assert.ok(Math.abs(value - (expected[at] ?? 0)) < 1e-3));
});

test('a soft matte takes the sharp edge of the guide', () => {
  const soft = plane((x) => Math.max(0, Math.min(1, (x - 12) / 16)));
  const result = filter(
    plane((x) => (x < 20 ? 0.1 : 0.9)),
    soft,
  );
  const row = [...result.subarray(15 * size.width, 16 * size.width)];
  assert.ok((row[20] ?? 0) - (row[19] ?? 0) > 0.3, `step of ${(row[20] ?? 0) - (row[19] ?? 0)}`);
  assert.ok((row[19] ?? 0) - (row[17] ?? 0) < 0.15);
});

test('solid stays solid under any texture', () => {
  for (const solid of [0, 1]) {
    const result = filter(
      plane((x, y) => ((x * 31 + y * 17) % 10) / 10),
      plane(() => solid),
    );
    result.forEach((value) => assert.ok(Math.abs(value - solid) < 1e-3));
  }
});

test('a model fitted small is applied at full size with the edges of the full picture', () => {
  const small = plane((x) => (x < 20 ? 0 : 1));
  const model = fitGuidedFilter([small, small, small], small, options);
  const large = { width: 160, height: 120 };
  const rgb = Uint8Array.from({ length: large.width * large.height * 3 }, (_, at) =>
    Math.floor(at / 3) % large.width < 80 ? 0 : 255,
  );
  const { data } = applyLinearModel(model, rgb, large);
  const row = data.subarray(60 * large.width, 61 * large.width);
  assert.ok((row[79] ?? 1) < 0.05 && (row[80] ?? 0) > 0.95, `${row[79]} ${row[80]}`);
});
