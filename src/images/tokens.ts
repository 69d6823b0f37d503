// The tokens of a transformation: one row each. Parsing, range checks, error messages, the canonical form and the
// reference all come from this table; a new token is a row here and a step of the pipeline.
import { formats } from './formats.ts';
import type { RequestedFormat } from './formats.ts';
import { choice, integer, integerOr } from './token-values.ts';
import type { TokenValue } from './token-values.ts';

/** All tokens of one address, by name. */
type GivenTokens = Readonly<Record<string, unknown>>;

export type TokenRow<Value> = {
  readonly value: TokenValue<Value>;
  readonly default?: NoInfer<Value>;
  /** False where the token certainly changes no pixel beside the others given; it is then left out of the canonical form. */
  hasEffect?(given: GivenTokens, format: RequestedFormat): boolean;
  readonly meaning: string;
};

function row<Value>(definition: TokenRow<Value>): TokenRow<Value> {
  return definition;
}

export const tokens = {
  w: row({ value: integer(1, 8192), meaning: 'Width in pixels; without h the height follows' }),
  h: row({ value: integer(1, 8192), meaning: 'Height in pixels; without w the width follows' }),
  fit: row({
    value: choice('cover', 'contain', 'fill', 'inside', 'outside', 'max'),
    default: 'cover',
    hasEffect: ({ w, h, fit }) =>
      (w !== undefined && h !== undefined) || (fit === 'max' && (w !== undefined || h !== undefined)),
    meaning: 'How the picture meets a box of both w and h; max is inside without ever enlarging',
  }),
  q: row({
    value: integerOr(1, 100, 'auto'),
    default: 'auto',
    hasEffect: (_given, format) => format === 'auto' || formats[format].defaultQuality !== null,
    meaning: 'Quality of webp, avif and jpg; png and gif have none',
  }),
};

export type TokenName = keyof typeof tokens;

type ValueOf<Row> = Row extends TokenRow<infer Value> ? Value : never;

export type TokenValues = { readonly [Name in TokenName]?: ValueOf<(typeof tokens)[Name]> };

export const tokenNames = Object.keys(tokens) as readonly TokenName[];

export function isTokenName(name: string): name is TokenName {
  return Object.hasOwn(tokens, name);
}

/** The row with its value type forgotten, for code that treats all tokens alike. */
export function tokenRow(name: TokenName): TokenRow<unknown> {
  return tokens[name] as TokenRow<unknown>;
}
