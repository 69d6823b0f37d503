import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inputSizeOf, scaleColours, scalingFor } from './model-input.ts';

test('the shape a model declares says what it wants to see', () => {
  assert.deepEqual(inputSizeOf([1, 3, 320, 480]), { width: 480, height: 320 });
  assert.deepEqual(inputSizeOf(['batch', 3, 'height', 'width']), { width: 1024, height: 1024 });
  assert.deepEqual(inputSizeOf([-1, 3, -1, -1]), { width: 1024, height: 1024 });
  for (const shape of [[1, 1, 8, 8], [4, 3, 8, 8], [1, 8, 8, 3], [3, 8, 8], []])
    assert.equal(inputSizeOf(shape), null);
});

test('colours are scaled as the family of the model has it', () => {
  const brightestOf = (name: string, side: number): number =>
    scaleColours(Uint8Array.of(100, 100, 100), scalingFor(name, { width: side, height: side }))[0] ?? NaN;
  const near = (value: number, expected: number): void =>
    assert.ok(Math.abs(value - expected) < 1e-3, `${value}`);
  near(brightestOf('/models/u2net.onnx', 320), (1 - 0.485) / 0.229);
  near(brightestOf('/models/other.onnx', 320), (1 - 0.485) / 0.229);
  near(brightestOf('/models/BiRefNet-general.onnx', 1024), (100 / 255 - 0.485) / 0.229);
  near(brightestOf('/models/isnet-general-use.onnx', 1024), 0.5);
  near(brightestOf('/models/other.onnx', 1024), 0.5);
  near(brightestOf('/models/modnet.onnx', 512), (100 / 255 - 0.5) / 0.5);
});

test('black pictures do not divide by zero', () => {
  const scaling = scalingFor('u2net.onnx', { width: 320, height: 320 });
  assert.ok(scaleColours(new Uint8Array(30), scaling).every(Number.isFinite));
});
