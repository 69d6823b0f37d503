// Codes of up to 4096 vectors in typed arrays. Signs stand column by column: a scan takes a few small tables at a time
// through all of them, which is what processors are quick at. All bits together are asked of few, so they stand row by row.
import { codeHeaderBytes, partsOfOne, wordsPerPlane } from './vector-code.ts';

export const pieceSize = 4096;

export type CodePiece = {
  readonly count: number;
  readonly words: number;
  /** The n-th words of all codes stand together. */
  readonly signs: Int32Array;
  /** All bits of a code stand together: in each byte four signs and, above them, which of the four are large. */
  readonly levels: Uint8Array;
  /** From a product to a guess; NaN of a vector that is known to be deleted. */
  readonly signFactors: Float32Array;
  readonly signErrors: Float32Array;
  readonly factors: Float32Array;
  readonly errors: Float32Array;
  readonly vectorIds: Float64Array;
  readonly seqs: Float64Array;
};

export type CodeRows = {
  readonly vectorIds: readonly number[];
  readonly seqs: readonly number[];
  /** One behind the other. */
  readonly codes: Uint8Array;
};

export function newPiece({ vectorIds, seqs, codes }: CodeRows, dimensions: number): CodePiece {
  const piece = emptyPiece(vectorIds.length, dimensions);
  const { count, words } = piece;
  const view = new DataView(codes.buffer, codes.byteOffset, codes.byteLength);
  piece.vectorIds.set(vectorIds);
  piece.seqs.set(seqs);
  for (let at = 0, byte = 0; at < count; at++) {
    piece.signFactors[at] = view.getFloat32(byte, true) / partsOfOne;
    piece.signErrors[at] = view.getFloat32(byte + 4, true);
    piece.factors[at] = view.getFloat32(byte + 8, true) / partsOfOne;
    piece.errors[at] = view.getFloat32(byte + 12, true);
    byte += codeHeaderBytes;
    for (let word = 0; word < words; word++, byte += 4)
      piece.signs[word * count + at] = view.getInt32(byte, true);
    for (let word = 0; word < words; word++, byte += 4)
      interleave(
        piece.signs[word * count + at] as number,
        view.getInt32(byte, true),
        piece.levels,
        8 * (at * words + word),
      );
  }
  return piece;
}

function interleave(signs: number, large: number, levels: Uint8Array, from: number): void {
  for (let four = 0; four < 8; four++)
    levels[from + four] = ((signs >>> (4 * four)) & 15) | (((large >>> (4 * four)) & 15) << 4);
}

/** What comes one by one would otherwise end as many pieces of one vector each. */
export function joinPieces(left: CodePiece, right: CodePiece, dimensions: number): CodePiece {
  const joined = emptyPiece(left.count + right.count, dimensions);
  let at = 0;
  for (const part of [left, right]) {
    for (const name of ['signFactors', 'signErrors', 'factors', 'errors', 'vectorIds', 'seqs'] as const)
      joined[name].set(part[name], at);
    joined.levels.set(part.levels, 8 * at * joined.words);
    for (let word = 0; word < joined.words; word++) {
      const column = part.signs.subarray(word * part.count, (word + 1) * part.count);
      joined.signs.set(column, word * joined.count + at);
    }
    at += part.count;
  }
  return joined;
}

export function bytesOfCode(dimensions: number): number {
  return (4 + 8) * wordsPerPlane(dimensions) + 4 * 4 + 2 * 8;
}

function emptyPiece(count: number, dimensions: number): CodePiece {
  const words = wordsPerPlane(dimensions);
  return {
    count,
    words,
    signs: new Int32Array(count * words),
    levels: new Uint8Array(8 * count * words),
    signFactors: new Float32Array(count),
    signErrors: new Float32Array(count),
    factors: new Float32Array(count),
    errors: new Float32Array(count),
    vectorIds: new Float64Array(count),
    seqs: new Float64Array(count),
  };
}

/** Products of all signs with the question, into `products`, in parts of one. */
export function multiplySigns(
  { count, words, signs }: CodePiece,
  tables: Int32Array,
  products: Int32Array,
): void {
  products.fill(0, 0, count);
  for (let word = 0; word < words; word++) {
    const column = word * count;
    const table = word * 1024;
    for (let at = 0; at < count; at++) {
      const bits = signs[column + at] as number;
      products[at] =
        ((products[at] as number) +
          (tables[table + (bits & 255)] as number) +
          (tables[table + 256 + ((bits >>> 8) & 255)] as number) +
          (tables[table + 512 + ((bits >>> 16) & 255)] as number) +
          (tables[table + 768 + (bits >>> 24)] as number)) |
        0;
    }
  }
}

/** The cosine of one vector and the question, guessed from all its bits. */
export function guessOf({ words, levels, factors }: CodePiece, at: number, tables: Int32Array): number {
  const bytes = 8 * words;
  const from = at * bytes;
  let product = 0;
  for (let byte = 0; byte < bytes; byte += 4) {
    const table = byte * 256;
    product =
      (product +
        (tables[table + (levels[from + byte] as number)] as number) +
        (tables[table + 256 + (levels[from + byte + 1] as number)] as number) +
        (tables[table + 512 + (levels[from + byte + 2] as number)] as number) +
        (tables[table + 768 + (levels[from + byte + 3] as number)] as number)) |
      0;
  }
  return product * (factors[at] as number);
}
