// Pictures by their words: an index of full text in which the pictures of an account stand together and in their order, so
// that neither other accounts nor a word that many pictures have cost anything.
import type Sqlite from 'better-sqlite3';
import { indexedText } from '../indexed-text.ts';
import { isAmong, type WordsQuery } from '../picture-index.ts';

/** The place of a picture in its account is the lower half of its number in the index, the account's number the upper. */
export const placesPerAccount = 2 ** 32;

/** Null when there is nothing to look for: signs alone, as in "cats & dogs", are no words. */
function matchExpression(words: readonly string[]): string | null {
  const phrases = words
    .filter((word) => /[\p{L}\p{N}\p{Co}]/u.test(word))
    .map((word) => `"${indexedText(word).replaceAll('"', ' ')}"`);
  return phrases.length === 0 ? null : phrases.join(' ');
}

export function openWithWords(sqlite: Sqlite.Database): (query: WordsQuery) => number[] {
  const number = sqlite.prepare('select account_number from word_accounts where account_id = ?').pluck();
  const places = sqlite
    .prepare(
      `select rowid & ${placesPerAccount - 1} from words_index
        where words_index match ? and rowid between ? and ? order by rowid desc`,
    )
    .pluck();
  return ({ accountId, words, limit, among }) => {
    const expression = matchExpression(words);
    const account = number.get(accountId) as number | undefined;
    if (expression === null || account === undefined) return [];
    const first = BigInt(account) * BigInt(placesPerAccount);
    const found: number[] = [];
    for (const seq of places.iterate(expression, first, first + BigInt(placesPerAccount - 1))) {
      if (among === null || isAmong(among, seq as number)) found.push(seq as number);
      if (found.length >= limit) break;
    }
    return found;
  };
}
