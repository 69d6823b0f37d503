// One channel of a picture as numbers, row by row, and how to bring it to another size.
import type { Size } from '../rendering/geometry.ts';

export type Plane = Size & { readonly data: Float32Array };

/** Bilinear, centres of pixels aligned: good for enlarging, which is all that mattes need. */
export function resizePlane(source: Plane, { width, height }: Size): Plane {
  const data = new Float32Array(width * height);
  const columns = weightsAlong(source.width, width);
  const rows = weightsAlong(source.height, height);
  const from = source.data;
  for (let y = 0, to = 0; y < height; y += 1) {
    const upper = rows.first[y]! * source.width;
    const lower = rows.second[y]! * source.width;
    const down = rows.share[y]!;
    for (let x = 0; x < width; x += 1, to += 1) {
      const left = columns.first[x]!;
      const right = columns.second[x]!;
      const across = columns.share[x]!;
      const above = from[upper + left]! * (1 - across) + from[upper + right]! * across;
      const below = from[lower + left]! * (1 - across) + from[lower + right]! * across;
      data[to] = above * (1 - down) + below * down;
    }
  }
  return { width, height, data };
}

type Weights = { readonly first: Int32Array; readonly second: Int32Array; readonly share: Float32Array };

/** For each new position the two old ones it lies between, and the share of the second. */
export function weightsAlong(from: number, to: number): Weights {
  const weights = {
    first: new Int32Array(to),
    second: new Int32Array(to),
    share: new Float32Array(to),
  };
  for (let index = 0; index < to; index += 1) {
    const position = Math.min(Math.max(((index + 0.5) * from) / to - 0.5, 0), from - 1);
    const first = Math.floor(position);
    weights.first[index] = first;
    weights.second[index] = Math.min(first + 1, from - 1);
    weights.share[index] = position - first;
  }
  return weights;
}
