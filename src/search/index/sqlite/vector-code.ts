// The code of a vector: of each dimension of the turned vector its sign and whether it is large, and numbers with which a
// cosine is guessed from them without bias and with a known error. The signs alone rule out most vectors, both together
// nearly all; what is left is read.
import { rotate } from './rotate.ts';

/** Where a normal distribution is best cut in four, and what best stands for each part (Lloyd and Max). */
const cut = 0.9816;
const smallLevel = 0.4528;
const largeLevel = 1.5104;
const dimensionsPerWord = 32;
const dimensionsPerByte = 8;
/** Before the bits: factor and error of the signs alone, then of both, as 32-bit floats. All is lowest byte first. */
export const codeHeaderBytes = 16;
/** Products are counted in whole parts of this: additions of whole numbers are the quickest. */
export const partsOfOne = 2 ** 22;

/** 32-bit words of the signs, and as many again of what is large. */
export function wordsPerPlane(dimensions: number): number {
  return Math.ceil(dimensions / dimensionsPerWord);
}

/** Of a vector of length one. */
export function encodeVector(vector: Float32Array): Uint8Array {
  const turned = rotate(vector);
  const planeBytes = 4 * wordsPerPlane(vector.length);
  const code = new Uint8Array(codeHeaderBytes + 2 * planeBytes);
  const scale = Math.sqrt(vector.length);
  let signProduct = 0;
  let product = 0;
  let square = 0;
  for (let at = 0; at < turned.length; at++) {
    const value = Math.abs(turned[at] as number);
    const isLarge = value * scale >= cut;
    const level = isLarge ? largeLevel : smallLevel;
    signProduct += value;
    product += value * level;
    square += level * level;
    const byte = codeHeaderBytes + Math.floor(at / dimensionsPerByte);
    const bit = 1 << (at % dimensionsPerByte);
    if ((turned[at] as number) >= 0) code[byte] = (code[byte] as number) | bit;
    if (isLarge) code[byte + planeBytes] = (code[byte + planeBytes] as number) | bit;
  }
  const header = new DataView(code.buffer);
  for (const [at, [ofProduct, ofSquare]] of [
    [signProduct, vector.length],
    [product, square],
  ].entries() as Iterable<[number, [number, number]]>) {
    header.setFloat32(8 * at, ofProduct > 0 ? 1 / ofProduct : 0, true);
    header.setFloat32(
      8 * at + 4,
      ofProduct > 0 ? errorOfGuess(ofSquare / ofProduct ** 2, vector.length) : 1,
      true,
    );
  }
  return code;
}

/** One standard deviation, where the cosine is 0: what the code leaves out of the vector, seen from a random direction. */
function errorOfGuess(squareByProduct: number, dimensions: number): number {
  return Math.sqrt(Math.max(0, squareByProduct - 1) / Math.max(1, dimensions - 1));
}

/** For each byte of signs 256 numbers: what each of its values adds to the product with the turned question. */
export function signTables(turned: Float32Array): Int32Array {
  const tables = new Int32Array(wordsPerPlane(turned.length) * 4 * 256);
  for (let first = 0, table = 0; table < tables.length; first += dimensionsPerByte, table += 256) {
    const lower = signedSums(turned, first);
    const upper = signedSums(turned, first + 4);
    for (let value = 0; value < 256; value++)
      tables[table + value] = partsOfOne * ((lower[value & 15] as number) + (upper[value >> 4] as number));
  }
  return tables;
}

/** For each four dimensions 256 numbers, by their four signs and, above these, which of them are large. */
export function levelTables(turned: Float32Array): Int32Array {
  const tables = new Int32Array(wordsPerPlane(turned.length) * 8 * 256);
  for (let first = 0, table = 0; table < tables.length; first += 4, table += 256) {
    const lower = leveledSums(turned, first);
    const upper = leveledSums(turned, first + 2);
    for (let value = 0; value < 256; value++) {
      const sum =
        (lower[lowerPair[value] as number] as number) + (upper[upperPair[value] as number] as number);
      tables[table + value] = partsOfOne * sum;
    }
  }
  return tables;
}

/** Of the eight bits of four dimensions, those of the first two and of the last two: two signs, then what is large. */
const lowerPair = Uint8Array.from({ length: 256 }, (_, value) => (value & 3) | ((value >> 2) & 12));
const upperPair = Uint8Array.from({ length: 256 }, (_, value) => ((value >> 2) & 3) | ((value >> 4) & 12));

/** Of two numbers, with each choice of signs and levels. */
function leveledSums(numbers: Float32Array, first: number): Float64Array {
  const sums = new Float64Array(16);
  for (let choice = 0; choice < 16; choice++) {
    for (let at = 0; at < 2; at++) {
      const level = (choice >> (2 + at)) & 1 ? largeLevel : smallLevel;
      const number = (numbers[first + at] ?? 0) * level;
      sums[choice] = (sums[choice] as number) + ((choice >> at) & 1 ? number : -number);
    }
  }
  return sums;
}

/** Of four numbers, with each choice of signs. */
function signedSums(numbers: Float32Array, first: number): Float64Array {
  const sums = new Float64Array(16);
  for (let signs = 0; signs < 16; signs++) {
    for (let at = 0; at < 4; at++) {
      const number = numbers[first + at] ?? 0;
      sums[signs] = (sums[signs] as number) + ((signs >> at) & 1 ? number : -number);
    }
  }
  return sums;
}
