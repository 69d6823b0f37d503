import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resizePlane } from './plane.ts';
import type { Plane } from './plane.ts';
import { refineMatte } from './refine-matte.ts';

const size = { width: 400, height: 300 };

/** A textured disc on a plain ground. */
function disc(radius: number, inside: (x: number, y: number) => number): Uint8Array {
  return Uint8Array.from({ length: size.width * size.height * 3 }, (_, at) => {
    const x = Math.floor(at / 3) % size.width;
    const y = Math.floor(at / 3 / size.width);
    return Math.hypot(x - 200, y - 150) < radius ? inside(x, y) : 230;
  });
}

function softDisc(radius: number, softness: number): Plane {
  const data = Float32Array.from({ length: 160 * 120 }, (_, at) => {
    const distance = Math.hypot((at % 160) * 2.5 - 199, Math.floor(at / 160) * 2.5 - 149);
    return Math.max(0, Math.min(1, 0.5 + (radius - distance) / softness));
  });
  return { width: 160, height: 120, data };
}

test('a soft and slightly wrong outline moves to the edge of the picture', () => {
  const picture = { ...size, data: disc(100, (x, y) => 40 + ((x * 7 + y * 13) % 40)) };
  const mask = refineMatte(softDisc(102, 12), picture, picture);
  const row = mask.subarray(150 * size.width, 151 * size.width);
  assert.ok(
    row.subarray(105, 295).every((value) => value > 240),
    'solid inside',
  );
  assert.ok(
    row.subarray(0, 95).every((value) => value < 15),
    'nothing outside',
  );
  const soft = row.filter((value) => value >= 15 && value <= 240).length;
  assert.ok(soft <= 12, `${soft} soft pixels in two edges`);
});

test('all and nothing stay all and nothing', () => {
  const picture = { ...size, data: disc(100, () => 20) };
  for (const share of [0, 1]) {
    const mask = refineMatte(
      { width: 2, height: 2, data: new Float32Array(4).fill(share) },
      picture,
      picture,
    );
    assert.ok(mask.every((value) => value === share * 255));
  }
});

test('a plane keeps its corners when it grows, and its mean when it does', () => {
  const grown = resizePlane({ width: 2, height: 1, data: Float32Array.of(0, 1) }, { width: 8, height: 3 });
  assert.deepEqual([grown.data[0], grown.data[7]], [0, 1]);
  assert.equal(grown.data.reduce((sum, value) => sum + value, 0) / 24, 0.5);
});
