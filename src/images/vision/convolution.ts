// The few layers a small convolutional network is made of, over numbers that lie row by row, all channels of a pixel
// together. Plain loops: the one network we run with them is too small to need a runtime.
import type { Size } from '../rendering/geometry.ts';

export type Layer = Size & { readonly channels: number; readonly data: Float32Array };

/** 3×3 over all channels. The result is smaller by a pixel on each side. */
export function convolve3x3(input: Layer, filters: Float32Array, bias: Float32Array): Layer {
  const result = emptyLayer(input.width - 2, input.height - 2, bias.length);
  const rowLength = 3 * input.channels;
  const patches = new Float32Array(result.width * 3 * rowLength);
  const weights = byOutput(filters, bias.length);
  for (let y = 0; y < result.height; y += 1) {
    for (let x = 0, to = 0; x < result.width; x += 1) {
      for (let dy = 0; dy < 3; dy += 1, to += rowLength) {
        const from = ((y + dy) * input.width + x) * input.channels;
        for (let at = 0; at < rowLength; at += 1) patches[to + at] = input.data[from + at]!;
      }
    }
    const rowOut = result.data.subarray(y * result.width * bias.length, (y + 1) * result.width * bias.length);
    mix(patches, weights, bias, rowOut);
  }
  return result;
}

/** 3×3 over each channel by itself; beyond the border lie zeros. */
export function convolveDepthwise(input: Layer, filters: Float32Array): Layer {
  const { width, height, channels, data } = input;
  const result = emptyLayer(width, height, channels);
  for (let y = 0, to = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1, to += channels) {
      for (let dy = Math.max(0, 1 - y); dy < Math.min(3, height + 1 - y); dy += 1) {
        for (let dx = Math.max(0, 1 - x); dx < Math.min(3, width + 1 - x); dx += 1) {
          const from = ((y + dy - 1) * width + x + dx - 1) * channels;
          const weights = (dy * 3 + dx) * channels;
          for (let channel = 0; channel < channels; channel += 1) {
            result.data[to + channel]! += data[from + channel]! * filters[weights + channel]!;
          }
        }
      }
    }
  }
  return result;
}

/** Mixes the channels of each pixel. */
export function convolvePointwise(input: Layer, filters: Float32Array, bias: Float32Array): Layer {
  const result = emptyLayer(input.width, input.height, bias.length);
  mix(input.data, byOutput(filters, bias.length), bias, result.data);
  return result;
}

/**
 * Each group of numbers, times the weights of each output, plus its bias. Four groups at a time share the weights they
 * need and sum up in registers: that is where nearly all the time goes.
 */
function mix(input: Float32Array, weights: Float32Array, bias: Float32Array, result: Float32Array): void {
  const outputs = bias.length;
  const inputs = weights.length / outputs;
  const groups = result.length / outputs;
  for (let group = 0; group < groups; group += 4) {
    // Groups beyond the end repeat the last one.
    const a = group;
    const b = Math.min(group + 1, groups - 1);
    const c = Math.min(group + 2, groups - 1);
    const d = Math.min(group + 3, groups - 1);
    for (let output = 0; output < outputs; output += 1) {
      let sumA = bias[output]!;
      let sumB = sumA;
      let sumC = sumA;
      let sumD = sumA;
      for (let at = 0, from = output * inputs; at < inputs; at += 1, from += 1) {
        const weight = weights[from]!;
        sumA += weight * input[a * inputs + at]!;
        sumB += weight * input[b * inputs + at]!;
        sumC += weight * input[c * inputs + at]!;
        sumD += weight * input[d * inputs + at]!;
      }
      result[a * outputs + output] = sumA;
      result[b * outputs + output] = sumB;
      result[c * outputs + output] = sumC;
      result[d * outputs + output] = sumD;
    }
  }
}

/** All weights of an output together, where the file has all those of an input. */
function byOutput(filters: Float32Array, outputs: number): Float32Array {
  const inputs = filters.length / outputs;
  const weights = new Float32Array(filters.length);
  for (let input = 0, from = 0; input < inputs; input += 1) {
    for (let output = 0; output < outputs; output += 1, from += 1)
      weights[output * inputs + input] = filters[from]!;
  }
  return weights;
}

/** The largest of each 2×2; at the far borders, of what is there. */
export function maxPool(input: Layer, stride: 1 | 2): Layer {
  const { width, height, channels, data } = input;
  const result = emptyLayer(Math.ceil(width / stride), Math.ceil(height / stride), channels);
  for (let y = 0, to = 0; y < result.height; y += 1) {
    const upper = y * stride * width;
    const lower = Math.min(y * stride + 1, height - 1) * width;
    for (let x = 0; x < result.width; x += 1) {
      const left = x * stride;
      const right = Math.min(left + 1, width - 1);
      for (let channel = 0; channel < channels; channel += 1, to += 1) {
        const above = Math.max(
          data[(upper + left) * channels + channel]!,
          data[(upper + right) * channels + channel]!,
        );
        const below = Math.max(
          data[(lower + left) * channels + channel]!,
          data[(lower + right) * channels + channel]!,
        );
        result.data[to] = Math.max(above, below);
      }
    }
  }
  return result;
}

/** In place: negative numbers count a tenth. */
export function leak(layer: Layer): Layer {
  const { data } = layer;
  for (let at = 0; at < data.length; at += 1) if (data[at]! < 0) data[at]! *= 0.1;
  return layer;
}

function emptyLayer(width: number, height: number, channels: number): Layer {
  return { width, height, channels, data: new Float32Array(width * height * channels) };
}
