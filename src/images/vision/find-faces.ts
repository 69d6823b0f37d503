// Finds faces with the tiny face detector of face-api (a small YOLO, 190 kB of weights). Its layers run in our own loops:
// the package's own engine is a bundle of 1.3 MB made for browsers.
import type { Size } from '../rendering/geometry.ts';
import { convolve3x3, convolveDepthwise, convolvePointwise, leak, maxPool } from './convolution.ts';
import type { Layer } from './convolution.ts';
import type { FaceWeights } from './face-weights.ts';
import type { Pixels } from './open-still.ts';
import type { Face } from './vision-protocol.ts';

/** Pixels of the input that one cell of the answer stands for. */
const cellPixels = 32;
const meanColour = [117.001, 114.697, 97.404];
/** The five typical faces each cell measures its own against: width and height in cells. */
const anchors = [
  [1.603231, 2.094468],
  [6.041143, 7.080126],
  [2.882459, 3.518061],
  [4.266906, 5.178857],
  [9.041765, 10.66308],
] as const;
const numbersPerAnchor = 5;
const maxOverlap = 0.4;

/** Best first. */
export function findFaces(picture: Pixels, weights: FaceWeights, minScore: number): Face[] {
  return withoutRepeats(facesIn(runNetwork(inputLayer(picture), weights), picture, minScore));
}

function runNetwork(input: Layer, weights: FaceWeights): Layer {
  const named = (name: string): Float32Array => {
    const values = weights.get(name);
    if (values === undefined) throw new Error(`the face model has no ${name}`);
    return values;
  };
  let layer = maxPool(leak(convolve3x3(input, named('conv0/filters'), named('conv0/bias'))), 2);
  for (const block of [1, 2, 3, 4, 5]) {
    const deep = convolveDepthwise(layer, named(`conv${block}/depthwise_filter`));
    const mixed = convolvePointwise(deep, named(`conv${block}/pointwise_filter`), named(`conv${block}/bias`));
    layer = maxPool(leak(mixed), block === 5 ? 1 : 2);
  }
  return convolvePointwise(layer, named('conv8/filters'), named('conv8/bias'));
}

/** The picture in the upper left corner of whole cells; the rest is black, as the network was trained. */
function inputLayer({ width, height, data }: Pixels): Layer {
  const whole = (side: number): number => Math.ceil(side / cellPixels) * cellPixels;
  const layer = { width: whole(width), height: whole(height), channels: 3 };
  const numbers = new Float32Array(layer.width * layer.height * 3);
  for (let at = 0, y = 0; y < layer.height; y += 1) {
    for (let x = 0; x < layer.width; x += 1) {
      const from = x < width && y < height ? (y * width + x) * 3 : -1;
      for (let colour = 0; colour < 3; colour += 1, at += 1) {
        numbers[at] = ((from < 0 ? 0 : data[from + colour]!) - meanColour[colour]!) / 255;
      }
    }
  }
  return { ...layer, data: numbers };
}

function facesIn(cells: Layer, picture: Size, minScore: number): Face[] {
  const found: Face[] = [];
  const across = cellPixels / picture.width;
  const down = cellPixels / picture.height;
  for (let cell = 0; cell < cells.width * cells.height; cell += 1) {
    anchors.forEach(([anchorWidth, anchorHeight], index) => {
      const at = cell * cells.channels + index * numbersPerAnchor;
      const number = (offset: number): number => cells.data[at + offset]!;
      const score = sigmoid(number(4));
      if (score < minScore) return;
      const width = Math.exp(number(2)) * anchorWidth * across;
      const height = Math.exp(number(3)) * anchorHeight * down;
      const left = ((cell % cells.width) + sigmoid(number(0))) * across - width / 2;
      const top = (Math.floor(cell / cells.width) + sigmoid(number(1))) * down - height / 2;
      found.push(insidePicture({ left, top, width, height, score }));
    });
  }
  return found.filter(({ width, height }) => width > 0 && height > 0);
}

function insidePicture({ left, top, width, height, score }: Face): Face {
  const within = (value: number): number => Math.max(0, Math.min(1, value));
  const [x, y] = [within(left), within(top)];
  return { left: x, top: y, width: within(left + width) - x, height: within(top + height) - y, score };
}

/** Of those that cover nearly the same, the best; best first. */
export function withoutRepeats(faces: readonly Face[]): Face[] {
  const kept: Face[] = [];
  for (const face of faces.toSorted((a, b) => b.score - a.score))
    if (kept.every((better) => overlap(better, face) <= maxOverlap)) kept.push(face);
  return kept;
}

/** Of what both cover, the share that both share. */
function overlap(a: Face, b: Face): number {
  const width = Math.min(a.left + a.width, b.left + b.width) - Math.max(a.left, b.left);
  const height = Math.min(a.top + a.height, b.top + b.height) - Math.max(a.top, b.top);
  const shared = Math.max(0, width) * Math.max(0, height);
  return shared / (a.width * a.height + b.width * b.height - shared);
}

function sigmoid(value: number): number {
  return 1 / (1 + Math.exp(-value));
}
