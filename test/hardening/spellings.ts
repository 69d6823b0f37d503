// The ways one string can be written into an address, a query, JSON or a multipart body.
import { percentEncoded } from './mutate.ts';

/** In a path or query as a client library would send it, with every byte encoded, and encoded once too often. */
export function inAddress(text: string): string[] {
  const wellFormed = text.toWellFormed();
  const once = encodeURIComponent(wellFormed);
  return unique([once, percentEncoded(wellFormed), encodeURIComponent(once), overlong(wellFormed)]);
}

/** As a JSON string: plain, and with every unit escaped. */
export function inJson(text: string): string[] {
  const escaped = Array.from({ length: text.length }, (_, index) => unitEscape(text.charCodeAt(index)));
  return unique([JSON.stringify(text), `"${escaped.join('')}"`]);
}

/** As bytes of a form or header: UTF-8, and one byte for a character. */
export function inForm(text: string): Buffer[] {
  return [Buffer.from(text), Buffer.from(text, 'latin1')];
}

/** ASCII punctuation in two bytes where UTF-8 allows only one: decoders that let it pass were climbed out of. */
function overlong(text: string): string {
  const longer = (character: string): string => {
    const code = character.charCodeAt(0);
    return `%${(0xc0 | (code >> 6)).toString(16)}%${(0x80 | (code & 0x3f)).toString(16)}`;
  };
  return Array.from(text, (character) =>
    /[./\\]/.test(character) ? longer(character) : encodeURIComponent(character),
  ).join('');
}

function unitEscape(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`;
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
