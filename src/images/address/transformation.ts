// The last part of a public address, read and written: `h-200_w-200.webp`. Two spellings of one transformation have one
// canonical form, which names the stored variant.
import { AppError } from '../../platform/errors.ts';
import { formatSpellings, parseFormat } from './formats.ts';
import type { Format, RequestedFormat } from './formats.ts';
import { isTokenName, tokenNames, tokenRow } from './tokens.ts';
import type { TokenName, TokenValues } from './tokens.ts';

const maxTokens = 16;
const maxTransformationBytes = 512;
const maxQuotedCharacters = 40;
const original = 'original';

/** The stored bytes, untouched. */
export type OriginalTransformation = { readonly kind: 'original' };
export type RequestedTransformation = {
  readonly kind: 'variant';
  /** Those that have an effect, with a preset's among them. */
  readonly tokens: TokenValues;
  readonly format: RequestedFormat;
  /** `alone`: nothing beside it changes a pixel, so that the account itself has chosen what is made. */
  readonly preset: 'none' | 'alone' | 'changed';
  /** Whether `v-` makes the address one of its own. */
  readonly versioned: boolean;
};
/** A variant that can be rendered. */
export type VariantTransformation = {
  readonly kind: 'variant';
  readonly tokens: TokenValues;
  readonly format: Format;
};
export type Transformation = OriginalTransformation | RequestedTransformation;

/** Tokens by the name of their preset, as the account keeps them. */
export type Presets = Readonly<Record<string, string>>;

export function parseTransformation(text: string, presets: Presets = {}): Transformation {
  if (text === original) return { kind: 'original' };
  if (text === '') throw invalid('The transformation is empty: write original or tokens such as w-200.webp');
  if (Buffer.byteLength(text) > maxTransformationBytes) {
    throw invalid(`The transformation is longer than ${maxTransformationBytes} bytes`);
  }
  const { list, format } = splitFormat(text);
  const given = list === original ? {} : parseTokens(list.split('_'));
  const { preset, v, ...others } = given;
  const expanded = preset === undefined ? others : { ...presetTokens(preset, presets), ...others };
  if (Object.keys(expanded).length > maxTokens) throw invalid(`There are more than ${maxTokens} tokens`);
  const presetUse = Object.keys(others).length === 0 ? 'alone' : 'changed';
  return {
    kind: 'variant',
    tokens: effectiveTokens(expanded, format),
    format,
    preset: preset === undefined ? 'none' : presetUse,
    versioned: v !== undefined,
  };
}

/** Refuses what cannot be a preset; its tokens come without a format. */
export function checkPresetTokens(tokens: string): void {
  if (Buffer.byteLength(tokens) > maxTransformationBytes) {
    throw invalid(`The tokens are longer than ${maxTransformationBytes} bytes`);
  }
  const { preset, v } = parseTokens(tokens.split('_'));
  if (preset !== undefined) throw invalid('A preset cannot name another preset');
  if (v !== undefined) throw invalid('A preset cannot hold v, which belongs to an address');
}

/** The canonical form. */
export function printTransformation(
  transformation: OriginalTransformation | Pick<RequestedTransformation, 'kind' | 'tokens' | 'format'>,
): string {
  if (transformation.kind === 'original') return original;
  const known = printedBefore.get(transformation);
  if (known !== undefined) return known;
  const { tokens } = transformation;
  const printed = namesIn(tokens)
    .map((name) => printToken(name, tokens[name]))
    .toSorted();
  const text = `${printed.length === 0 ? original : printed.join('_')}.${transformation.format}`;
  printedBefore.set(transformation, text);
  return text;
}

/** One request asks for its canonical form several times. */
const printedBefore = new WeakMap<object, string>();

/** The same transformation in a settled format; what has no effect in that format falls away. */
export function withFormat(
  transformation: Pick<RequestedTransformation, 'tokens'>,
  format: Format,
): VariantTransformation {
  return { kind: 'variant', tokens: effectiveTokens(transformation.tokens, format), format };
}

function splitFormat(text: string): { list: string; format: RequestedFormat } {
  const dot = text.lastIndexOf('.');
  const suffix = text.slice(dot + 1);
  if (dot === -1 || !/^[a-z]/i.test(suffix)) return { list: text, format: 'auto' };
  const format = parseFormat(suffix);
  if (format === undefined) {
    throw invalid(`Unknown format ${quoted(suffix)}: the formats are ${formatSpellings.join(', ')}`);
  }
  return { list: text.slice(0, dot), format };
}

function presetTokens(name: string, presets: Presets): TokenValues {
  const kept = Object.hasOwn(presets, name) ? presets[name] : undefined;
  if (kept === undefined) throw invalid(`There is no preset ${quoted(name)} in this account`);
  return parseTokens(kept.split('_'));
}

function parseTokens(parts: readonly string[]): TokenValues {
  if (parts.length > maxTokens) throw invalid(`There are more than ${maxTokens} tokens`);
  const given: Partial<Record<TokenName, unknown>> = {};
  for (const part of parts) {
    const { name, value } = parseToken(part);
    if (name in given) throw invalid(`Token ${quoted(part)} repeats ${name}, which may be given once`);
    given[name] = value;
  }
  return given as TokenValues;
}

function parseToken(token: string): { name: TokenName; value: unknown } {
  if (token === '') throw invalid('There is an empty token: tokens are joined by a single "_"');
  if (token === original) throw invalid('"original" stands alone: it cannot be joined with tokens');
  const dash = token.indexOf('-');
  const bare = dash === -1 || isTokenName(token);
  const name = bare ? token : token.slice(0, dash);
  if (!isTokenName(name)) {
    throw invalid(`Unknown token ${quoted(token)}: the tokens are ${tokenNames.join(', ')}`);
  }
  const type = tokenRow(name).value;
  const value = type.parse(bare ? null : token.slice(dash + 1));
  if (value === undefined) {
    throw invalid(`Token ${quoted(token)} is out of range: ${name} takes ${type.takes}`);
  }
  return { name, value };
}

function printToken(name: TokenName, value: unknown): string {
  const text = tokenRow(name).value.print(value);
  return text === null ? name : `${name}-${text}`;
}

function effectiveTokens(given: TokenValues, format: RequestedFormat): TokenValues {
  const unusual = pick(given, (name) => given[name] !== tokenRow(name).default);
  const { page, ...others } = pick(unusual, (name) => tokenRow(name).hasEffect?.(unusual, format) ?? true);
  // The still of an animation is its first frame, however it is asked for.
  if (page === 1) return { ...others, anim: '0' };
  return page === undefined ? others : { ...others, page };
}

function pick(given: TokenValues, isWanted: (name: TokenName) => boolean): TokenValues {
  const names = namesIn(given).filter(isWanted);
  return Object.fromEntries(names.map((name) => [name, given[name]]));
}

/** Not the whole table: most addresses have a token or two. */
function namesIn(tokens: TokenValues): TokenName[] {
  return (Object.keys(tokens) as TokenName[]).filter((name) => tokens[name] !== undefined);
}

function invalid(message: string): AppError {
  return new AppError('invalid_transformation', message);
}

function quoted(text: string): string {
  return JSON.stringify(text.length > maxQuotedCharacters ? `${text.slice(0, maxQuotedCharacters)}…` : text);
}
