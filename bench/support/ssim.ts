// How alike two pictures look, from 1 (the same) downwards: the mean structural similarity of their brightness as Wang et al.
// defined it in 2004, with a Gaussian window of 11 × 11 and σ 1.5.

export type Luma = { width: number; height: number; values: Float64Array };

const radius = 5;
const sigma = 1.5;
const c1 = (0.01 * 255) ** 2;
const c2 = (0.03 * 255) ** 2;
const window = gaussian();

/** Of pixels in red, green and blue. */
export function lumaOf(pixels: Uint8Array, width: number, height: number): Luma {
  const values = new Float64Array(width * height);
  for (let i = 0; i < values.length; i++) {
    const [red, green, blue] = [pixels[3 * i], pixels[3 * i + 1], pixels[3 * i + 2]] as [
      number,
      number,
      number,
    ];
    values[i] = 0.299 * red + 0.587 * green + 0.114 * blue;
  }
  return { width, height, values };
}

export function ssim(first: Luma, second: Luma): number {
  if (first.width !== second.width || first.height !== second.height)
    throw new Error('Only pictures of the same size can be compared');
  const [x, y] = [first.values, second.values];
  const means = [x, y].map((plane) => blurred(plane, first));
  const [xx, yy, xy] = [product(x, x), product(y, y), product(x, y)].map((plane) => blurred(plane, first));
  const [meanX, meanY] = means as [Float64Array, Float64Array];
  let sum = 0;
  for (const [i, mx] of meanX.entries()) {
    const my = meanY[i] as number;
    const varianceX = (xx?.[i] as number) - mx * mx;
    const varianceY = (yy?.[i] as number) - my * my;
    const covariance = (xy?.[i] as number) - mx * my;
    sum +=
      ((2 * mx * my + c1) * (2 * covariance + c2)) /
      ((mx * mx + my * my + c1) * (varianceX + varianceY + c2));
  }
  return sum / meanX.length;
}

function product(x: Float64Array, y: Float64Array): Float64Array {
  return x.map((value, i) => value * (y[i] as number));
}

/** Only where the whole window lies within the picture. */
function blurred(plane: Float64Array, { width, height }: Luma): Float64Array {
  const innerWidth = width - 2 * radius;
  const innerHeight = height - 2 * radius;
  if (innerWidth < 1 || innerHeight < 1) throw new Error('The picture is smaller than the window');
  const rows = new Float64Array(innerWidth * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < innerWidth; x++) rows[y * innerWidth + x] = weighed(plane, y * width + x, 1);
  const result = new Float64Array(innerWidth * innerHeight);
  for (let i = 0; i < result.length; i++) result[i] = weighed(rows, i, innerWidth);
  return result;
}

function weighed(plane: Float64Array, start: number, step: number): number {
  let sum = 0;
  for (let i = 0; i < window.length; i++) sum += (window[i] as number) * (plane[start + i * step] as number);
  return sum;
}

function gaussian(): Float64Array {
  const weights = Float64Array.from({ length: 2 * radius + 1 }, (_, i) =>
    Math.exp(-((i - radius) ** 2) / (2 * sigma ** 2)),
  );
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / whole);
}
