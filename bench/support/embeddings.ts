// Vectors as models of text make them (clusters with spread around a common mean, few dimensions that vary much and many
// that vary little), and vectors without any order, which are the hardest to find by a code. The same at every run.

export const embeddingDimensions = 512;
const clusters = 2000;

export type Embeddings = () => Float32Array;

export function uniformEmbeddings(seed: number, dimensions = embeddingDimensions): Embeddings {
  const normal = normalNumbers(seed);
  return () => unit(new Float32Array(dimensions).map(normal));
}

/** Those of one shape have their clusters in common. */
export function captionEmbeddings(seed: number, dimensions = embeddingDimensions, shapeSeed = 1): Embeddings {
  const shape = normalNumbers(shapeSeed);
  const spreads = new Float32Array(dimensions).map((_, at) => 1 / Math.sqrt(1 + at / 8));
  const around = (middle: Float32Array, normal: () => number, share: number): Float32Array =>
    middle.map((value, at) => value + normal() * share * (spreads[at] as number));
  const mean = around(new Float32Array(dimensions), shape, 0.9);
  const centres = Array.from({ length: clusters }, () => around(mean, shape, 0.7));
  const normal = normalNumbers(seed);
  const chance = randomNumbers(seed + 1);
  return () => unit(around(centres[chance() % clusters] as Float32Array, normal, 0.5));
}

/** Numbers of 32 bits (xorshift). */
export function randomNumbers(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e3779b1) | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}

const normalTableSize = 65_536;
let normalTable: Float32Array | null = null;

/** From a table of normal numbers: half a billion are needed, and each may cost only a few nanoseconds. */
function normalNumbers(seed: number): () => number {
  const table = (normalTable ??= tableOfNormals());
  const chance = randomNumbers(seed);
  return () => table[chance() >>> 16] as number;
}

/** By numbers of its own: whoever asks first must get the same as whoever asks later. */
function tableOfNormals(): Float32Array {
  const chance = randomNumbers(0);
  return new Float32Array(normalTableSize).map(() => {
    const radius = Math.sqrt(-2 * Math.log((chance() + 1) / 2 ** 32));
    return radius * Math.cos((2 * Math.PI * chance()) / 2 ** 32);
  });
}

function unit(vector: Float32Array): Float32Array {
  let square = 0;
  for (const value of vector) square += value * value;
  const scale = 1 / Math.sqrt(square);
  return vector.map((value) => value * scale);
}
