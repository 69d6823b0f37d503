// Small damage to something valid: what is nearly right gets further into a parser than noise does.
import type { Random } from '../support/random.ts';

const maxLength = 70_000;

type Damage = (random: Random, text: string, pieces: readonly string[]) => string;

const damages: readonly Damage[] = [
  (random, text, pieces) => insert(random, text, random.pick(pieces)),
  (random, text, pieces) => insert(random, text, random.pick(pieces)),
  (random, text) => insert(random, text, String.fromCharCode(anyCode(random))),
  (random, text) => replaceRange(random, text, () => ''),
  (random, text) => replaceRange(random, text, (range) => range + range),
  (random, text) => replaceRange(random, text, (range) => range.repeat(times(random, range))),
  (random, text, pieces) => replaceRange(random, text, () => random.pick(pieces)),
  (random, text) => replaceRange(random, text, percentEncoded),
  (random, text) => replaceRange(random, text, (range) => range.toUpperCase()),
  (random, text) => replaceRange(random, text, (range) => Array.from(range).toReversed().join('')),
  (random, text) => replaceOne(random, text, (code) => code ^ (1 << random.between(0, 7))),
  (random, text) => replaceOne(random, text, () => anyCode(random)),
  (random, text) => text.slice(0, random.between(0, text.length)),
  (random, text) => insert(random, text, slice(random, text)),
];

export function mutateText(random: Random, text: string, pieces: readonly string[]): string {
  let mutated = text;
  for (let left = random.between(1, 4); left > 0; left -= 1)
    mutated = random.pick(damages)(random, mutated, pieces);
  return mutated.slice(0, maxLength);
}

export function mutateBytes(random: Random, bytes: Buffer, pieces: readonly string[]): Buffer {
  const asBytes = pieces.map((piece) => Buffer.from(piece).toString('latin1'));
  return Buffer.from(mutateText(random, bytes.toString('latin1'), asBytes), 'latin1');
}

export function percentEncoded(text: string): string {
  return Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}

function insert(random: Random, text: string, piece: string): string {
  const at = random.between(0, text.length);
  return text.slice(0, at) + piece + text.slice(at);
}

function replaceRange(random: Random, text: string, replace: (range: string) => string): string {
  const from = random.between(0, text.length);
  const to = Math.min(text.length, from + random.between(1, random.chance(0.2) ? 40 : 3));
  return text.slice(0, from) + replace(text.slice(from, to)) + text.slice(to);
}

function replaceOne(random: Random, text: string, replace: (code: number) => number): string {
  if (text === '') return String.fromCharCode(anyCode(random));
  const at = random.between(0, text.length - 1);
  return text.slice(0, at) + String.fromCharCode(replace(text.charCodeAt(at))) + text.slice(at + 1);
}

function slice(random: Random, text: string): string {
  const from = random.between(0, text.length);
  return text.slice(from, from + random.between(1, 60));
}

function times(random: Random, range: string): number {
  const most = random.chance(0.02) ? maxLength / Math.max(1, range.length) : random.pick([3, 20, 300]);
  return random.between(2, Math.floor(most));
}

function anyCode(random: Random): number {
  return random.chance(0.7) ? random.between(0, 0xff) : random.between(0, 0xffff);
}
