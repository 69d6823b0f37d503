// The mean of the square around each pixel, in time that does not depend on its size. At the borders only what is inside
// the picture counts.
import type { Plane } from './plane.ts';

export function boxBlur({ width, height, data }: Plane, radius: number): Plane {
  return { width, height, data: blurColumns(blurRows(data, width, radius), width, height, radius) };
}

function blurRows(source: Float32Array, width: number, radius: number): Float32Array {
  const result = new Float32Array(source.length);
  const shares = sharesAlong(width, radius);
  for (let start = 0; start < source.length; start += width) {
    let sum = 0;
    for (let x = 0; x < Math.min(radius, width); x += 1) sum += source[start + x]!;
    for (let x = 0; x < width; x += 1) {
      if (x + radius < width) sum += source[start + x + radius]!;
      if (x > radius) sum -= source[start + x - radius - 1]!;
      result[start + x] = sum * shares[x]!;
    }
  }
  return result;
}

/** All columns at once, row after row, as memory lies. */
function blurColumns(source: Float32Array, width: number, height: number, radius: number): Float32Array {
  const result = new Float32Array(source.length);
  const shares = sharesAlong(height, radius);
  const sums = new Float64Array(width);
  const add = (row: number, sign: 1 | -1): void => {
    for (let x = 0, from = row * width; x < width; x += 1, from += 1) sums[x]! += sign * source[from]!;
  };
  for (let y = 0; y < Math.min(radius, height); y += 1) add(y, 1);
  for (let y = 0; y < height; y += 1) {
    if (y + radius < height) add(y + radius, 1);
    if (y > radius) add(y - radius - 1, -1);
    const share = shares[y]!;
    for (let x = 0, to = y * width; x < width; x += 1, to += 1) result[to] = sums[x]! * share;
  }
  return result;
}

/** One divided by how many positions within the radius there are. */
function sharesAlong(length: number, radius: number): Float64Array {
  return Float64Array.from(
    { length },
    (_, at) => 1 / (Math.min(at + radius, length - 1) - Math.max(at - radius, 0) + 1),
  );
}
