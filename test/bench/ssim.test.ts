import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Luma, lumaOf, ssim } from '../../bench/support/ssim.ts';
import { seededRandom } from '../support/random.ts';

const width = 40;
const height = 30;

function picture(valueAt: (x: number, y: number) => number): Luma {
  const values = Float64Array.from({ length: width * height }, (_, i) =>
    valueAt(i % width, Math.floor(i / width)),
  );
  return { width, height, values };
}

function withNoise(clean: Luma, strength: number): Luma {
  const random = seededRandom(7);
  return { ...clean, values: clean.values.map((value) => value + random.between(-strength, strength)) };
}

describe('ssim', () => {
  const waves = picture((x, y) => 128 + 60 * Math.sin(x / 3) * Math.cos(y / 4));

  test('is 1 for the same picture', () => {
    assert.ok(Math.abs(ssim(waves, waves) - 1) < 1e-12);
  });

  test('follows the formula for two plain greys, which differ in nothing but brightness', () => {
    const c1 = (0.01 * 255) ** 2;
    const expected = (2 * 100 * 150 + c1) / (100 ** 2 + 150 ** 2 + c1);
    const measured = ssim(
      picture(() => 100),
      picture(() => 150),
    );
    assert.ok(Math.abs(measured - expected) < 1e-6, `${measured} instead of ${expected}`);
  });

  test('falls as noise rises, the same whichever comes first', () => {
    const [weak, strong] = [withNoise(waves, 4), withNoise(waves, 40)];
    assert.ok(ssim(waves, weak) > ssim(waves, strong));
    assert.ok(ssim(waves, weak) < 1);
    assert.ok(Math.abs(ssim(waves, strong) - ssim(strong, waves)) < 1e-12);
  });

  test('is below zero for a negative', () => {
    const negative = { ...waves, values: waves.values.map((value) => 255 - value) };
    assert.ok(ssim(waves, negative) < 0);
  });

  test('refuses pictures of different sizes', () => {
    assert.throws(() => ssim(waves, { ...waves, width: height, height: width }), /same size/);
  });

  test('weighs colours as eyes do', () => {
    const { values } = lumaOf(Uint8Array.of(255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255), 2, 2);
    assert.deepEqual(
      [...values].map((value) => Math.round(value)),
      [76, 150, 29, 255],
    );
  });
});
