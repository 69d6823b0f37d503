// Which vectors could be among the nearest, judged by their codes: for each the highest cosine it may have. Signs alone judge
// all of them; what they leave is judged by all bits.
import { type Among, isAmong } from '../picture-index.ts';
import { type CodePiece, guessOf, multiplySigns, pieceSize } from './code-piece.ts';

/** Standard deviations a cosine may lie above its guess: one in a thousand lies higher. */
const margin = 3;

export type Candidate = {
  readonly piece: CodePiece;
  readonly at: number;
  readonly vectorId: number;
  readonly seq: number;
  /** Its cosine is not higher, as far as one can tell. */
  readonly bound: number;
};

export type Judged = {
  /** How many are not out of the question, counted no further than this. */
  countUpTo(most: number): number;
  /** By falling guess; of equal ones the newest first. */
  mostLikely(count: number): Candidate[];
  /** All whose cosine may be so high, by falling bound; of equal ones the newest first. */
  reaching(cosine: number, tables: Int32Array): Candidate[];
};

/** NaN of what is out of the question: deleted, or not among those asked for. */
type Guessed = { readonly piece: CodePiece; readonly guesses: Float32Array };

export function judge(pieces: Iterable<CodePiece>, tables: Int32Array, among: Among | null): Judged {
  const products = new Int32Array(pieceSize);
  const guessed: Guessed[] = [];
  for (const piece of pieces) {
    multiplySigns(piece, tables, products);
    const guesses = guessesFrom(products, piece);
    if (among !== null) leaveOut(guesses, piece, among);
    guessed.push({ piece, guesses });
  }
  return {
    countUpTo: (most) => countUpTo(guessed, most),
    mostLikely: (wanted) => mostLikely(guessed, wanted),
    reaching: (cosine, levels) => reaching(guessed, cosine, levels),
  };
}

function guessesFrom(products: Int32Array, { count, signFactors }: CodePiece): Float32Array {
  const guesses = new Float32Array(count);
  for (let at = 0; at < count; at++) guesses[at] = (products[at] as number) * (signFactors[at] as number);
  return guesses;
}

function leaveOut(guesses: Float32Array, { seqs }: CodePiece, among: Among): void {
  for (let at = 0; at < guesses.length; at++) if (!isAmong(among, seqs[at] as number)) guesses[at] = NaN;
}

function countUpTo(guessed: readonly Guessed[], most: number): number {
  let count = 0;
  for (const { guesses } of guessed) {
    for (let at = 0; at < guesses.length && count < most; at++)
      if (!Number.isNaN(guesses[at] as number)) count += 1;
  }
  return count;
}

function mostLikely(guessed: readonly Guessed[], wanted: number): Candidate[] {
  const best: Candidate[] = [];
  let least = -Infinity;
  for (const { piece, guesses } of guessed) {
    for (let at = 0; at < guesses.length; at++) {
      const guess = guesses[at] as number;
      if (!(guess >= least)) continue;
      best.push(candidate(piece, at, guess));
      // Sorted now and then, instead of at every one.
      if (best.length < 2 * wanted) continue;
      best.sort(byFallingBound).length = wanted;
      least = (best[wanted - 1] as Candidate).bound;
    }
  }
  return best.sort(byFallingBound).slice(0, wanted);
}

function reaching(guessed: readonly Guessed[], cosine: number, levels: Int32Array): Candidate[] {
  const found: Candidate[] = [];
  for (const { piece, guesses } of guessed) {
    const { signErrors, errors } = piece;
    for (let at = 0; at < guesses.length; at++) {
      if (!((guesses[at] as number) + margin * (signErrors[at] as number) >= cosine)) continue;
      const guess = guessOf(piece, at, levels);
      const error = (errors[at] as number) * Math.sqrt(Math.max(0, 1 - guess * guess));
      const bound = guess + margin * error;
      if (bound >= cosine) found.push(candidate(piece, at, bound));
    }
  }
  return found.sort(byFallingBound);
}

function candidate(piece: CodePiece, at: number, bound: number): Candidate {
  return { piece, at, vectorId: piece.vectorIds[at] as number, seq: piece.seqs[at] as number, bound };
}

function byFallingBound(left: Candidate, right: Candidate): number {
  return right.bound - left.bound || right.seq - left.seq;
}
