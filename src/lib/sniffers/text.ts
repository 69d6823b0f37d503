// Tells text from bytes, and names the kinds of text people and attackers send as pictures and films.
import { Buffer } from 'node:buffer';
import type { SniffedType } from './sniffed-type.ts';

const kinds: [RegExp, type: string, label: string][] = [
  [/^<svg\b|^(<\?xml|<!--|<!doctype svg)[^]*<svg\b|^<!doctype svg/, 'image/svg+xml', 'an SVG drawing'],
  [/^<\?php|^<\?=/, 'application/x-php', 'a PHP script'],
  [
    /^(<\?xml[^]*|<!--[^]*)?<(!doctype html|html|head|body|script|iframe|h1|div|font|table|a|style|title|b|br|p)\b/,
    'text/html',
    'an HTML page',
  ],
  [/^<\?xml/, 'application/xml', 'an XML document'],
  [/^#extm3u|^ffconcat|^\[playlist\]|^v=0\r?\no=/, 'text/plain', 'a playlist'],
  [/^#!/, 'text/plain', 'a script'],
];

const controlsInText = new Set(Buffer.from('\t\n\f\r\x1b'));

export function sniffText(head: Buffer): SniffedType | undefined {
  if (head.length === 0) return undefined;
  const isUtf16 = head.length >= 2 && [0xfffe, 0xfeff].includes(head.readUInt16BE(0));
  const text = head.toString(isUtf16 ? 'utf16le' : 'latin1');
  if (!isUtf16 && head.some((byte) => byte < 0x20 && !controlsInText.has(byte))) return undefined;
  const start = text.replace(/^(\xef\xbb\xbf|\ufeff)?\s*/, '').toLowerCase();
  const known = kinds.find(([pattern]) => pattern.test(start));
  if (known !== undefined) return { kind: 'refused', type: known[1], label: known[2] };
  return isUtf16 || isMostlyAscii(head) ? { kind: 'refused', type: 'text/plain', label: 'text' } : undefined;
}

/** Random bytes free of control characters are rare and short; half of any text in a Latin script is ASCII. */
function isMostlyAscii(head: Buffer): boolean {
  return head.filter((byte) => byte < 0x80).length * 2 >= head.length;
}
