// Makes a caption of what a model answered: only the text that was asked for, fit to be stored and shown.
import { ProviderFault } from '../ai-provider.ts';
import { jsonField } from './json-field.ts';

const maxCharacters = 2000;
/** Whatever stands before the end of thinking is not the answer; some servers leave out where it began. */
const thoughts = /^[^]*<\/think(?:ing)?>/i;
/** Thinking that was cut off before there was an answer. */
const onlyThoughts = /^\s*<think(?:ing)?>[^]*$/i;
// oxlint-disable-next-line no-control-regex
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

export function readCaption(answer: unknown): string {
  const message = jsonField(answer, 'choices', 0, 'message');
  if (typeof message !== 'object' || message === null)
    throw new ProviderFault('answer', 'The AI provider answered something else than a caption');
  const refusal = jsonField(message, 'refusal');
  if (typeof refusal === 'string' && refusal !== '')
    throw new ProviderFault('picture', 'The AI provider refused to describe this picture');
  const caption = plainCaption(textOf(jsonField(message, 'content')));
  if (caption === '')
    throw new ProviderFault('picture', 'The AI provider had nothing to say of this picture');
  return caption;
}

/** A text, or a list of parts of which some are text. */
function textOf(content: unknown): string {
  if (content === undefined || content === null) return '';
  if (typeof content === 'string') return content;
  if (!Array.isArray(content))
    throw new ProviderFault('answer', 'The AI provider answered something else than a caption');
  return content
    .map((part) => jsonField(part, 'text'))
    .filter((text) => typeof text === 'string')
    .join('');
}

function plainCaption(text: string): string {
  const answer = text.toWellFormed().replace(thoughts, '').replace(onlyThoughts, '');
  return cutAtWord(answer.replace(controls, '').trim());
}

function cutAtWord(text: string): string {
  if (text.length <= maxCharacters) return text;
  // One more, so that a word that ends exactly there is kept.
  const words = text.slice(0, maxCharacters + 1).replace(/\s\S*$/, '');
  if (words.length <= maxCharacters) return words.trimEnd();
  // Not every script has spaces; half a character is none.
  return text.slice(0, maxCharacters).replace(/[\ud800-\udbff]$/, '');
}
