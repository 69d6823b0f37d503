import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanEdges } from './clean-edges.ts';

/** A red thing before a green ground: each pixel is mixed as its alpha says. */
function redOnGreen(width: number, height: number, alphaAt: (x: number, y: number) => number): Uint8Array {
  const rgba = new Uint8Array(width * height * 4);
  for (let at = 0; at < width * height; at += 1) {
    const alpha = alphaAt(at % width, Math.floor(at / width));
    rgba.set([Math.round(200 * alpha), Math.round(200 * (1 - alpha)), 0, Math.round(alpha * 255)], at * 4);
  }
  return rgba;
}

const ramp = (x: number): number => Math.max(0, Math.min(1, (x - 50) / 12));

test('soft edges lose the colour of the ground, from top to bottom', () => {
  const size = { width: 120, height: 700 };
  const rgba = redOnGreen(size.width, size.height, ramp);
  cleanEdges(rgba, size);
  for (const y of [0, 100, 255, 256, 511, 512, 699]) {
    for (let x = 51; x < 62; x += 1) {
      const [red = 0, green = 0] = rgba.subarray((y * size.width + x) * 4);
      assert.ok(red > 160 && green < 40, `${x},${y}: ${red} ${green}`);
    }
  }
});

test('alpha and all that is solid or empty stay as they are', () => {
  const size = { width: 120, height: 40 };
  const before = redOnGreen(size.width, size.height, ramp);
  const rgba = before.slice();
  cleanEdges(rgba, size);
  for (let at = 0; at < before.length; at += 4) {
    assert.equal(rgba[at + 3], before[at + 3]);
    const isSoft = rgba[at + 3] !== 0 && rgba[at + 3] !== 255;
    if (!isSoft) assert.deepEqual(rgba.subarray(at, at + 3), before.subarray(at, at + 3));
  }
});

test('pictures of one pixel, of one row, and half transparent all over', () => {
  for (const [width = 1, height = 1] of [
    [1, 1],
    [300, 1],
    [1, 300],
  ]) {
    const rgba = new Uint8Array(width * height * 4).fill(128);
    cleanEdges(rgba, { width, height });
    assert.ok(rgba.every((value) => value === 128));
  }
});
