// Search by words and vectors together. Pictures that have all telling words of the question come first, however alike they
// are; then the nearest ones, where each of those words counts a little. `npm run bench -- search-quality` shows what it is worth.
import type { Database } from '../platform/database/database.ts';
import { shareOfWords, wordsOf, wordsOfQuestion } from './analysis/picture-words.ts';
import { inOtherNumbers } from './analysis/word-forms.ts';
import { amongSeqs, type PictureIndex } from './index/picture-index.ts';
import { type Bounds, type FoundPicture, nearestPictures, type Target } from './nearest-pictures.ts';

/** More exact hits than this are not told apart: only the newest of them come first. */
const maxHits = 5000;
/** So many of the nearest are ordered anew; always the same, so that a smaller limit gives the beginning of a larger one. */
const reordered = 100;
/** What all words of the question are worth, as similarity. */
const wordBonus = 0.1;

export type HybridParts = { database: Database; index: PictureIndex };
type Ask = Target & Bounds;

export async function findHybrid(parts: HybridParts, ask: Ask, question: string): Promise<FoundPicture[]> {
  const words = wordsOfQuestion(question);
  if (words.length === 0) return nearestPictures(parts.index, ask, ask);
  const hits = await exactHits(parts, ask, words);
  if (hits.length === ask.limit) return hits;
  const known = new Set(hits.map(({ generation }) => generation));
  const near = await nearestPictures(parts.index, ask, { ...ask, limit: reordered });
  const others = near.filter(({ generation }) => !known.has(generation));
  return [...hits, ...(await byWordsToo(parts, ask, others, words))].slice(0, ask.limit);
}

/** Those with the words as they were typed, then those with another number of them: "boat" for "boats". */
async function exactHits(parts: HybridParts, ask: Ask, words: readonly string[]): Promise<FoundPicture[]> {
  const asTyped = await placesWith(parts, ask, [words]);
  const hits = await byVector(parts, ask, asTyped);
  if (hits.length === ask.limit) return hits;
  const known = new Set(asTyped);
  const inOthers = await placesWith(parts, ask, inOtherNumbers(words));
  const others = inOthers.filter((seq) => !known.has(seq));
  return [...hits, ...(await byVector(parts, ask, others))].slice(0, ask.limit);
}

/** Of pictures that have all words of any wording; newest first. */
async function placesWith(
  { index }: HybridParts,
  { accountId, among }: Ask,
  wordings: readonly (readonly string[])[],
): Promise<number[]> {
  const found = await Promise.all(
    wordings.map((words) => index.withWords({ accountId, words, limit: maxHits, among })),
  );
  return [...new Set(found.flat())].toSorted((left, right) => right - left);
}

/** By falling similarity, however small; those without a vector come last. */
async function byVector(parts: HybridParts, ask: Ask, seqs: readonly number[]): Promise<FoundPicture[]> {
  if (seqs.length === 0) return [];
  const { accountId, limit } = ask;
  const ranked = await nearestPictures(parts.index, ask, { threshold: 0, limit, among: amongSeqs(seqs) });
  if (ranked.length === limit) return ranked;
  const known = new Set(ranked.map(({ generation }) => generation));
  const unranked = (await generationsOf(parts.database, accountId, seqs.slice(0, 2 * limit)))
    .filter((generation) => !known.has(generation))
    .map((generation) => ({ generation, similarity: 0 }));
  return [...ranked, ...unranked].slice(0, limit);
}

/** Newest first. */
async function generationsOf(
  database: Database,
  accountId: string,
  seqs: readonly number[],
): Promise<string[]> {
  const rows = await database.read
    .selectFrom('objects')
    .select('generation')
    .where('account_id', '=', accountId)
    .where('seq', 'in', seqs)
    .orderBy('seq', 'desc')
    .execute();
  return rows.map(({ generation }) => generation);
}

/** By falling similarity, to which the share of the words that a picture has adds a little. */
async function byWordsToo(
  { database }: HybridParts,
  { accountId }: Ask,
  found: readonly FoundPicture[],
  words: readonly string[],
): Promise<FoundPicture[]> {
  if (found.length === 0) return [];
  const rows = await database.read
    .selectFrom('objects')
    .select(['generation', 'tags', 'original_file_name', 'caption'])
    .where('account_id', '=', accountId)
    .where(
      'generation',
      'in',
      found.map(({ generation }) => generation),
    )
    .execute();
  const shares = new Map(rows.map((row) => [row.generation, shareOfWords(words, wordsOf(row))]));
  const rank = ({ generation, similarity }: FoundPicture): number =>
    similarity + wordBonus * (shares.get(generation) ?? 0);
  return found.toSorted((left, right) => rank(right) - rank(left));
}
