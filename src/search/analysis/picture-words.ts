// By which words a picture can be found: its tags, its file's name and its caption. Pure.
import type { ObjectRow } from '../../objects/tables.ts';
import { formsOf } from './word-forms.ts';

type Described = Pick<ObjectRow, 'tags' | 'original_file_name' | 'caption'>;

export function wordsOf({ tags, original_file_name: fileName, caption }: Described): string {
  return [...(JSON.parse(tags) as string[]), fileName, caption ?? ''].join('\n');
}

const longestWord = 64;
const mostWords = 16;

/** Words that stand in nearly every caption and question, and so tell nothing. */
const emptyWords = new Set(
  'a an and are as at be by for from has have in into is it its of on or that the their there this to was were where which who whose with photo photos picture pictures image images show me find'.split(
    ' ',
  ),
);

/** The words of a question that a picture must have to be an exact hit; none where it has only empty ones. */
export function wordsOfQuestion(question: string): string[] {
  const words = question.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const telling = words.filter((word) => !emptyWords.has(word) && word.length <= longestWord);
  return [...new Set(telling)].slice(0, mostWords);
}

/** How many of the words a text has in singular or plural, from 0 to 1. */
export function shareOfWords(words: readonly string[], text: string): number {
  const there = new Set(folded(text).match(/[\p{L}\p{N}]+/gu));
  const found = words.filter((word) => formsOf(folded(word)).some((form) => there.has(form)));
  return words.length === 0 ? 0 : found.length / words.length;
}

/** Without accents, as the index has words. */
function folded(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}
