import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cosineOf, unitVector } from '../../../../test/support/picture-index.ts';
import { guessOf, multiplySigns, newPiece } from './code-piece.ts';
import { rotate } from './rotate.ts';
import { encodeVector, levelTables, signTables } from './vector-code.ts';

const vectorsOf = (dimensions: number) =>
  fc
    .array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: dimensions, maxLength: dimensions })
    .filter((values) => Math.hypot(...values) > 1e-3)
    .map(unitVector);
const pair = fc.integer({ min: 1, max: 70 }).chain((size) => fc.tuple(vectorsOf(size), vectorsOf(size)));

test('turning changes no cosine', () => {
  fc.assert(
    fc.property(pair, ([left, right]) => {
      assert.ok(Math.abs(cosineOf(rotate(left), rotate(right)) - cosineOf(left, right)) < 1e-5);
    }),
  );
});

test('turning spreads what stood in one dimension over all of them', () => {
  for (const dimensions of [384, 512, 768, 1536]) {
    const turned = rotate(unitVector(Array.from({ length: dimensions }, (_, at) => (at === 7 ? 1 : 0))));
    const largest = Math.max(...turned.map(Math.abs));
    assert.ok(largest < 8 / Math.sqrt(dimensions), `${dimensions}: ${largest}`);
  }
});

test('guesses are right on average, and as far off as their error says, also for vectors that differ in few dimensions', () => {
  const dimensions = 384;
  let state = 7;
  const chance = (): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 2 ** 30 - 1;
  };
  const random = (): Float32Array =>
    unitVector(Array.from({ length: dimensions }, (_, at) => (chance() + 0.3) / (1 + at / 4)));
  const bySigns: number[] = [];
  const byAllBits: number[] = [];
  for (let question = 0; question < 20; question++) {
    const asked = random();
    const turned = rotate(asked);
    const vectors = Array.from({ length: 100 }, random);
    const places = [...vectors.keys()];
    const codes = Buffer.concat(vectors.map(encodeVector));
    const piece = newPiece({ vectorIds: places, seqs: places, codes }, dimensions);
    const products = new Int32Array(piece.count);
    multiplySigns(piece, signTables(turned), products);
    const tables = levelTables(turned);
    for (const [at, vector] of vectors.entries()) {
      const cosine = cosineOf(vector, asked);
      const deviation = (guess: number, error: number): number =>
        (guess - cosine) / (error * Math.sqrt(1 - cosine ** 2));
      const guessed = (products[at] as number) * (piece.signFactors[at] as number);
      bySigns.push(deviation(guessed, piece.signErrors[at] as number));
      byAllBits.push(deviation(guessOf(piece, at, tables), piece.errors[at] as number));
    }
    // Twice as many bits, and less than half as far off.
    for (const at of places)
      assert.ok((piece.errors[at] as number) < 0.6 * (piece.signErrors[at] as number), `error of ${at}`);
  }
  for (const deviations of [bySigns, byAllBits]) {
    const mean = deviations.reduce((sum, value) => sum + value) / deviations.length;
    const spread = Math.sqrt(deviations.reduce((sum, value) => sum + value ** 2, 0) / deviations.length);
    assert.ok(Math.abs(mean) < 0.3, `mean ${mean}`);
    assert.ok(spread > 0.7 && spread < 1.3, `spread ${spread}`);
  }
});

test('tables give the very product, for any number of dimensions', () => {
  for (const dimensions of [1, 3, 4, 31, 32, 33, 70, 384]) {
    const asked = unitVector(Array.from({ length: dimensions }, (_, at) => Math.sin(at + 1)));
    const vector = unitVector(Array.from({ length: dimensions }, (_, at) => Math.cos(3 * at)));
    const piece = newPiece({ vectorIds: [1], seqs: [1], codes: encodeVector(vector) }, dimensions);
    const [turned, other] = [rotate(asked), rotate(vector)];
    const products = new Int32Array(1);
    multiplySigns(piece, signTables(turned), products);
    const lengthOfSigns = other.reduce((sum, value) => sum + Math.abs(value), 0);
    const bySigns = turned.reduce((sum, value, at) => sum + ((other[at] as number) >= 0 ? value : -value), 0);
    const guess = (products[0] as number) * (piece.signFactors[0] as number);
    assert.ok(Math.abs(guess - bySigns / lengthOfSigns) < 1e-4, `${dimensions}: ${guess}`);
    assert.ok(Number.isFinite(guessOf(piece, 0, levelTables(turned))));
  }
});
