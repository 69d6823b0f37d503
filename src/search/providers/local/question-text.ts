// How a question is put to a model. Both families learnt from captions, which are seldom one word: "a photo of …" around a
// short question tells them what kind of text it is, and which of a word's meanings is meant. A whole sentence needs no help,
// nor does a question that names the kind of picture itself.
import type { Family } from './model-files.ts';

const maxShortWords = 4;
const namesKind =
  /\b(photos?|photographs?|pictures?|images?|drawings?|paintings?|sketch(es)?|screenshots?|logos?|icons?|illustrations?|diagrams?)\b/i;

export function questionText(family: Family, question: string): string {
  const words = question.trim().split(/\s+/);
  if (words.length > maxShortWords || namesKind.test(question)) return question.trim();
  return family === 'clip' ? `a photo of ${words.join(' ')}` : `This is a photo of ${words.join(' ')}.`;
}
