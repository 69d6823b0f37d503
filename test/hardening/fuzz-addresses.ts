// Public addresses and their last part: any text is an address, none, or a 400; and what is accepted has one canonical form,
// whatever the order of its tokens and whichever defaults are spelled out.
import assert from 'node:assert/strict';
import { createAddressMatcher } from '../../src/delivery/address.ts';
import { type Format, formats, formatSpellings } from '../../src/images/address/formats.ts';
import { tokenNames, tokenRow } from '../../src/images/address/tokens.ts';
import {
  parseTransformation,
  printTransformation,
  type Transformation,
  type VariantTransformation,
  withFormat,
} from '../../src/images/address/transformation.ts';
import { AppError } from '../../src/platform/errors.ts';
import type { Random } from '../support/random.ts';
import { hostileStrings } from '../support/hostile-strings.ts';
import { mutateText } from './mutate.ts';

const bucket = '0123456789abcdef';
const words = [
  'cover',
  'contain',
  'fill',
  'inside',
  'outside',
  'max',
  'auto',
  '1',
  '100',
  '8192',
  '200',
  '0',
];
const punctuation = Array.from('-_./%?#\\');
const escapes = ['%2f', '%5f', '%2e', '%25', 'original', bucket, 'files'];
const tokenPieces = tokenNames.flatMap((name) => [name, `${name}-`, `_${name}-5`]);
const suffixes = formatSpellings.flatMap((format) => [format, `.${format}`]);
const pieces = [...tokenPieces, ...suffixes, ...punctuation, ...escapes, ...words, ...hostileStrings()];
const sameHost = { base: 'http://h', files: 'http://h/files', storage: 'http://h/storage' };
const otherHosts = { base: 'http://h', files: 'http://cdn', storage: 'http://img/st' };
const matchers = [createAddressMatcher(sameHost), createAddressMatcher(otherHosts)];

export type AddressCase = { transformation: string; path: string; host: string; random: Random };

export function makeAddress(random: Random): AddressCase {
  const valid = validTransformation(random);
  const transformation = random.chance(0.25) ? valid : mutateText(random, valid, pieces);
  const prefix = random.pick(['/files/', '/storage/', '/st/', '/']);
  const address = `${prefix}${bucket}/${random.pick(['cat', 'a.b-c_D', '0'])}/${transformation}`;
  const path = random.chance(0.3) ? address : mutateText(random, address, pieces);
  return { transformation, path, host: random.pick(['h', 'cdn', 'IMG', 'evil', '']), random };
}

export function checkAddress({ transformation: text, path, host, random }: AddressCase): void {
  for (const match of matchers) {
    const found = match(host, path);
    if (typeof found === 'string') {
      assert.ok(found === 'no object' || found === 'not ours');
      continue;
    }
    assert.match(found.bucketId, /^[0-9a-f]{16}$/);
    assert.match(found.objectId, /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/);
    const { bucketId, objectId, rendition } = found;
    assert.ok(decodeURIComponent(path).endsWith(`${bucketId}/${objectId}/${rendition}`), 'decoded once');
    accepted(rendition);
  }
  const transformation = accepted(text);
  if (transformation) checkCanonical(random, text, transformation);
}

/** Null when it is refused, as it should be. */
function accepted(text: string): Transformation | null {
  try {
    return parseTransformation(text);
  } catch (error) {
    assert.ok(error instanceof AppError, `${String(error)} is no answer`);
    assert.equal(error.code, 'invalid_transformation');
    assert.ok(error.message.length >= 10 && error.message.length < 500, error.message);
    return null;
  }
}

function checkCanonical(random: Random, text: string, transformation: Transformation): void {
  const canonical = printTransformation(transformation);
  assert.match(canonical, /^[A-Za-z0-9_.~-]{1,600}$/, 'has no odd characters');
  assert.deepEqual(pixels(parseTransformation(canonical)), pixels(transformation), 'parse(print(x)) = x');
  assert.equal(printTransformation(parseTransformation(canonical)), canonical, 'idempotent');
  if (transformation.kind === 'original') return;
  const suffix = /\.[a-z]+$/.exec(text)?.[0] ?? '';
  const list = text.slice(0, text.length - suffix.length);
  const tokens = list === 'original' ? [] : list.split('_');
  const defaults = tokenNames
    .filter(
      (name) => tokenRow(name).default !== undefined && !tokens.some((token) => token.split('-')[0] === name),
    )
    .map((name) => `${name}-${tokenRow(name).value.print(tokenRow(name).default)}`);
  const room = Math.min(defaults.length, 16 - tokens.length);
  const respelled = random.shuffle([...tokens, ...random.some(defaults, room)]).join('_');
  if (respelled !== '')
    assert.equal(printTransformation(parseTransformation(respelled + suffix)), canonical, 'any order');
  for (const format of Object.keys(formats) as Format[]) {
    const settled = withFormat(transformation, format);
    assert.deepEqual(pixels(parseTransformation(printTransformation(settled))), pixels(settled));
  }
}

/** What an address says of pixels; versions and presets say more of the address. */
function pixels(transformation: Transformation | VariantTransformation): unknown {
  return transformation.kind === 'original' ? null : [transformation.tokens, transformation.format];
}

export function validTransformation(random: Random): string {
  const tokens = random.some(tokenNames, 16).map((name) => {
    const value = random.pick([...words, String(random.between(1, 9000))]);
    if (tokenRow(name).value.parse(value) !== undefined) return `${name}-${value}`;
    const parts = tokenRow(name).example.split('_');
    return parts.find((part) => part === name || part.startsWith(`${name}-`)) as string;
  });
  const suffix = random.pick(['', ...formatSpellings.map((format) => `.${format}`)]);
  return (tokens.length === 0 ? 'original' : tokens.join('_')) + suffix;
}
