// The tokens of a transformation: one row each. Parsing, range checks, error messages, the canonical form and the
// reference all come from this table; a new token is a row here, its part in the plan and a step of the pipeline.
import { reducedRatio } from './aspect-ratio.ts';
import type { Colour } from './colour.ts';
import { formats } from './formats.ts';
import type { RequestedFormat } from './formats.ts';
import {
  choice,
  colour,
  decimal,
  degrees,
  flag,
  integer,
  integerOr,
  row,
  signedInteger,
  text,
} from './token-values.ts';
import type { TokenValue } from './token-values.ts';

/** All tokens of one address, by name. */
type GivenTokens = Readonly<Record<string, unknown>>;

export type TokenRow<Value> = {
  readonly value: TokenValue<Value>;
  readonly default?: NoInfer<Value>;
  /** False where the token certainly changes no pixel beside the others given; it is then left out of the canonical form. */
  hasEffect?(given: GivenTokens, format: RequestedFormat): boolean;
  readonly example: string;
  readonly meaning: string;
};

function token<Value>(definition: TokenRow<Value>): TokenRow<Value> {
  return definition;
}

const places = [
  'center',
  'top',
  'bottom',
  'left',
  'right',
  'top-left',
  'top-right',
  'bottom-left',
  'bottom-right',
] as const;
export type Place = (typeof places)[number];

const side = integer(1, 8192);
const lengthPixels = integer(0, 2000);
const change = signedInteger(-100, 100);
const strength = integer(1, 100);
const objectIdPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const presetPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

const hasSide = ({ w, h }: GivenTokens): boolean => w !== undefined || h !== undefined;
const hasBox = ({ w, h, ar }: GivenTokens): boolean =>
  (w !== undefined && h !== undefined) || ar !== undefined;
const isCropped = (given: GivenTokens): boolean =>
  hasBox(given) && (given.fit === undefined || given.fit === 'cover');
const isScaledByDpr = (given: GivenTokens): boolean =>
  hasSide(given) || ['pad', 'border', 'r', 'blur'].some((name) => given[name] !== undefined);
const rowOf = (format: RequestedFormat) => (format === 'auto' || format === 'json' ? null : formats[format]);
const canMove = (format: RequestedFormat): boolean => rowOf(format)?.keepsAnimation !== false;

export const tokens = {
  w: token({ value: side, example: 'w-800', meaning: 'Width in pixels; without `h` the height follows' }),
  h: token({ value: side, example: 'h-600', meaning: 'Height in pixels; without `w` the width follows' }),
  fit: token({
    value: choice('cover', 'contain', 'fill', 'inside', 'outside', 'max'),
    default: 'cover',
    hasEffect: (given) => hasBox(given) || (given.fit === 'max' && hasSide(given)),
    example: 'w-400_h-400_fit-contain',
    meaning:
      'How the picture meets a box of both sides: `cover` cuts off, `contain` pads with `bg`, `fill` distorts, `inside` and `outside` keep the proportions, `max` is `inside` without ever enlarging',
  }),
  g: token({
    value: choice(...places, 'auto', 'entropy', 'face'),
    default: 'center',
    hasEffect: (given) => isCropped(given) && given.fp === undefined,
    example: 'w-300_h-300_g-face',
    meaning:
      'What stays when `cover` cuts off: a side or corner, `auto` (what catches the eye), `entropy` (where most happens), `face` (faces, else as `auto`)',
  }),
  fp: token({
    value: row<[number, number]>('x-y, 0–1 each', decimal(0, 1), decimal(0, 1)),
    hasEffect: isCropped,
    example: 'w-300_h-300_fp-0.25-0.4',
    meaning:
      'Focal point that stays in the middle when `cover` cuts off; from the top left, stronger than `g`',
  }),
  ar: token({
    value: ratio(),
    hasEffect: ({ w, h }) => w === undefined || h === undefined,
    example: 'w-640_ar-16-9',
    meaning: 'Proportions of the box; with one of `w` and `h`, or alone',
  }),
  crop: token({
    value: row<[number, number, number, number]>(
      'x-y-width-height in pixels of the source',
      integer(0, 99_999),
      integer(0, 99_999),
      integer(1, 99_999),
      integer(1, 99_999),
    ),
    example: 'crop-100-50-400-300',
    meaning: 'The part of the source that is used, before everything else; what lies outside is left off',
  }),
  dpr: token({
    value: decimal(0.1, 5),
    default: 1,
    hasEffect: isScaledByDpr,
    example: 'w-400_dpr-2',
    meaning: 'Pixels per pixel of the page: multiplies `w`, `h`, `pad`, `border`, `r` and `blur`',
  }),
  q: token({
    value: integerOr(1, 100, 'auto'),
    default: 'auto',
    hasEffect: (_given, format) => rowOf(format)?.defaultQuality !== null,
    example: 'q-60',
    meaning: 'Quality of webp, avif and jpg; png and gif have none',
  }),
  rot: token({
    value: degrees(),
    default: 0,
    example: 'rot-90',
    meaning: 'Turned clockwise before resizing; corners that appear are filled with `bg`',
  }),
  flip: token({
    value: choice('h', 'v', 'hv'),
    example: 'flip-h',
    meaning: 'Mirrored left to right, top to bottom, or both',
  }),
  blur: token({ value: strength, example: 'blur-5', meaning: 'Gaussian blur of so many pixels (sigma)' }),
  sharp: token({ value: strength, example: 'sharp-50', meaning: 'Sharpened' }),
  bri: token({ value: change, default: 0, example: 'bri-20', meaning: 'Brightness, per cent more or less' }),
  con: token({ value: change, default: 0, example: 'con-n30', meaning: 'Contrast, per cent more or less' }),
  sat: token({ value: change, default: 0, example: 'sat-40', meaning: 'Saturation, per cent more or less' }),
  gam: token({
    value: change,
    default: 0,
    example: 'gam-25',
    meaning: 'Middle tones lighter or darker; black and white stay',
  }),
  hue: token({
    value: turnOfHue(),
    default: 0,
    example: 'hue-180',
    meaning: 'Colours turned by so many degrees',
  }),
  gray: token({ value: flag(), example: 'gray', meaning: 'Without colours' }),
  invert: token({ value: flag(), example: 'invert', meaning: 'As a negative' }),
  sepia: token({ value: flag(), example: 'sepia', meaning: 'In the brown of old prints' }),
  'bg-remove': token({
    value: flag(),
    example: 'bg-remove',
    meaning: 'What is in front stays, the background becomes transparent; with `bg-<colour>` that colour',
  }),
  bg: token({
    value: colour(),
    example: 'bg-remove_bg-ffffff',
    meaning:
      'What transparent parts are laid on, and what `contain`, `pad` and `rot` fill with; without it transparent where the format can, else white',
  }),
  pad: token({
    value: lengthPixels,
    default: 0,
    example: 'pad-20_bg-eee',
    meaning: 'Pixels added on every side, in `bg`; outside of border and round corners',
  }),
  border: token({
    value: row<[number, Colour]>('pixels-colour, such as 4-red', integer(1, 500), colour()),
    example: 'border-4-336699',
    meaning: 'A line around it, added outside',
  }),
  r: token({
    value: integerOr(0, 8192, 'max'),
    default: 0,
    example: 'w-200_h-200_r-max',
    meaning: 'Rounded corners; `max` makes a square a circle',
  }),
  trim: token({
    value: integer(0, 100),
    example: 'trim-10',
    meaning: 'Cuts off edges of one colour, as long as they differ by less than so many per cent',
  }),
  mark: token({
    value: text('the id of another picture of the bucket', objectIdPattern),
    example: 'mark-logo',
    meaning: 'A watermark: another picture of the same bucket; gone from the address when that is deleted',
  }),
  markpos: token({
    value: choice(...places),
    default: 'bottom-right',
    hasEffect: ({ mark }) => mark !== undefined,
    example: 'mark-logo_markpos-top-left',
    meaning: 'Where the watermark is',
  }),
  markw: token({
    value: integer(1, 100),
    default: 25,
    hasEffect: ({ mark }) => mark !== undefined,
    example: 'mark-logo_markw-50',
    meaning: 'Its width, in per cent of the picture’s',
  }),
  marka: token({
    value: integer(1, 100),
    default: 100,
    hasEffect: ({ mark }) => mark !== undefined,
    example: 'mark-logo_marka-40',
    meaning: 'Its opacity in per cent',
  }),
  anim: token({
    value: choice('0', '1'),
    default: '1',
    hasEffect: ({ page, t }, format) => canMove(format) && page === undefined && t === undefined,
    example: 'anim-0',
    meaning: '`0` makes a still of an animation',
  }),
  page: token({
    value: integer(1, 10_000),
    hasEffect: ({ page, t }, format) => t === undefined && (page !== 1 || canMove(format)),
    example: 'page-3',
    meaning: 'The frame of an animation that becomes the still; the first is 1',
  }),
  t: token({
    value: decimal(0, 86_400),
    example: 't-1.5',
    meaning: 'The moment of an animation or film that becomes the still, in seconds',
  }),
  meta: token({
    value: choice('none', 'copyright', 'all'),
    default: 'none',
    hasEffect: (_given, format) => format !== 'gif',
    example: 'meta-copyright',
    meaning: 'What is kept of the metadata; `copyright` is artist and copyright. GIF holds none',
  }),
  preset: token({
    value: text('the name of a preset of the account', presetPattern),
    example: 'preset-card',
    meaning: 'Tokens kept in the account settings; others beside it are stronger',
  }),
  v: token({
    value: text('up to 100 letters, digits, dots, dashes and underscores', /^[A-Za-z0-9._~-]{1,100}$/),
    hasEffect: () => false,
    example: 'w-400_v-2',
    meaning:
      'Changes nothing but the address: a new one for a new picture, which caches may then keep for ever',
  }),
};

/** 32-18 is 16-9. */
function ratio(): TokenValue<[number, number]> {
  const part = decimal(1, 100);
  const both = row<[number, number]>('a-b, 1–100 each', part, part);
  return {
    ...both,
    parse(written) {
      const value = both.parse(written);
      return value && reducedRatio(...value);
    },
  };
}

function turnOfHue(): TokenValue<number> {
  const full = integer(0, 360);
  return {
    ...full,
    parse(written) {
      const value = full.parse(written);
      return value === undefined ? undefined : value % 360;
    },
  };
}

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
