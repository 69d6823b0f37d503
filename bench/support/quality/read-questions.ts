// The questions of `questions.txt`, in groups: what somebody types, and which pictures would be right.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DescribedPicture } from './read-library.ts';

/** Without right answers where the library has none. */
export type AskedQuestion = { group: string; words: string; right: ReadonlySet<string> };

export function readQuestions(library: readonly DescribedPicture[]): AskedQuestion[] {
  const known = new Set(library.map(({ id }) => id));
  const questions: AskedQuestion[] = [];
  let group = '';
  for (const line of readFileSync(join(import.meta.dirname, 'questions.txt'), 'utf8').split('\n')) {
    if (line.startsWith('# ')) group = line.slice(2);
    else if (line !== '') questions.push({ group, ...readQuestion(line, known) });
  }
  return questions;
}

function readQuestion(line: string, known: ReadonlySet<string>): Omit<AskedQuestion, 'group'> {
  const [words, answers, ...more] = line.split(' → ');
  if (!words || !answers || more.length > 0) throw new Error(`This is no question: ${line}`);
  const right = answers === 'nothing' ? [] : answers.split(', ');
  const unknown = right.filter((id) => !known.has(id));
  if (unknown.length > 0) throw new Error(`The library has no ${unknown.join(', ')}`);
  return { words, right: new Set(right) };
}
