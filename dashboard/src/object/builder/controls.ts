// What can be asked of a picture, one row each: how it is shown and what it does to the address. The controls of the page
// come from this table.
import type { Fit, Format, Gravity, ImageAddress, Place } from '../../../../client/src/index.ts';

export type Values = Readonly<Record<string, string>>;
export type Control = {
  readonly name: string;
  readonly label: string;
  readonly group: Group;
  readonly input: Input;
  readonly help?: string;
  /** Shown where it can have an effect. */
  readonly for?: 'moving';
  /** `value` is never empty; the others are there for what goes together. */
  readonly apply: (picture: ImageAddress, value: string, values: Values) => ImageAddress;
};
export type Input =
  | { readonly kind: 'number'; readonly min: number; readonly max: number; readonly step?: number }
  | {
      readonly kind: 'slider';
      readonly min: number;
      readonly max: number;
      readonly rest: number;
      readonly step?: number;
    }
  | { readonly kind: 'choice'; readonly choices: readonly (readonly [value: string, label: string])[] }
  | { readonly kind: 'flag' }
  | { readonly kind: 'colour' }
  | { readonly kind: 'text'; readonly placeholder?: string }
  | {
      readonly kind: 'numbers';
      readonly labels: readonly string[];
      readonly max: number;
      readonly step?: number;
    };
export const groups = ['Size', 'Output', 'Colours', 'Shape', 'Frame', 'Watermark', 'More'] as const;
export type Group = (typeof groups)[number];

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
const named = (...values: readonly string[]) =>
  values.map((value) => [value, value.replace('-', ' ')] as const);
const pixels = { kind: 'number', min: 1, max: 8192 } as const;
const change = { kind: 'slider', min: -100, max: 100, rest: 0 } as const;
const strength = { kind: 'slider', min: 0, max: 100, rest: 0 } as const;
const list = (value: string): number[] => value.split(',').map(Number);
const isWhole = (value: string, parts: number): boolean =>
  value.split(',').length === parts && value.split(',').every((part) => part !== '');

export const controls: readonly Control[] = [
  {
    name: 'w',
    label: 'Width',
    group: 'Size',
    input: pixels,
    apply: (picture, value) => picture.width(Number(value)),
  },
  {
    name: 'h',
    label: 'Height',
    group: 'Size',
    input: pixels,
    apply: (picture, value) => picture.height(Number(value)),
  },
  {
    name: 'ar',
    label: 'Proportions',
    group: 'Size',
    input: { kind: 'numbers', labels: ['wide', 'high'], max: 100 },
    apply: (picture, value) =>
      isWhole(value, 2) ? picture.aspectRatio(...(list(value) as [number, number])) : picture,
  },
  {
    name: 'fit',
    label: 'Fit',
    group: 'Size',
    input: { kind: 'choice', choices: named('cover', 'contain', 'fill', 'inside', 'outside', 'max') },
    help: 'How it meets a box of both sides; max never enlarges.',
    apply: (picture, value) => picture.fit(value as Fit),
  },
  {
    name: 'g',
    label: 'Keep when cutting',
    group: 'Size',
    input: { kind: 'choice', choices: named('face', 'auto', 'entropy', ...places) },
    apply: (picture, value) => picture.gravity(value as Gravity),
  },
  {
    name: 'fp',
    label: 'Focal point',
    group: 'Size',
    input: { kind: 'numbers', labels: ['from left', 'from top'], max: 1, step: 0.05 },
    apply: (picture, value) =>
      isWhole(value, 2) ? picture.focus(...(list(value) as [number, number])) : picture,
  },
  {
    name: 'crop',
    label: 'Part of the source',
    group: 'Size',
    input: { kind: 'numbers', labels: ['x', 'y', 'width', 'height'], max: 99_999 },
    apply: (picture, value) =>
      isWhole(value, 4) ? picture.crop(...(list(value) as [number, number, number, number])) : picture,
  },
  {
    name: 'dpr',
    label: 'Pixel ratio',
    group: 'Size',
    input: { kind: 'number', min: 0.1, max: 5, step: 0.5 },
    apply: (picture, value) => picture.dpr(Number(value)),
  },
  {
    name: 'format',
    label: 'Format',
    group: 'Output',
    input: { kind: 'choice', choices: named('auto', 'webp', 'avif', 'jpg', 'png', 'gif') },
    help: 'auto is the best the browser accepts.',
    apply: (picture, value) => picture.format(value as Format),
  },
  {
    name: 'q',
    label: 'Quality',
    group: 'Output',
    input: { kind: 'number', min: 1, max: 100 },
    apply: (picture, value) => picture.quality(Number(value)),
  },
  {
    name: 'meta',
    label: 'Metadata kept',
    group: 'Output',
    input: { kind: 'choice', choices: named('none', 'copyright', 'all') },
    apply: (picture, value) => picture.metadata(value as 'none' | 'copyright' | 'all'),
  },
  {
    name: 'bri',
    label: 'Brightness',
    group: 'Colours',
    input: change,
    apply: (picture, value) => picture.brightness(Number(value)),
  },
  {
    name: 'con',
    label: 'Contrast',
    group: 'Colours',
    input: change,
    apply: (picture, value) => picture.contrast(Number(value)),
  },
  {
    name: 'sat',
    label: 'Saturation',
    group: 'Colours',
    input: change,
    apply: (picture, value) => picture.saturation(Number(value)),
  },
  {
    name: 'gam',
    label: 'Middle tones',
    group: 'Colours',
    input: change,
    apply: (picture, value) => picture.gamma(Number(value)),
  },
  {
    name: 'hue',
    label: 'Hue',
    group: 'Colours',
    input: { kind: 'slider', min: 0, max: 360, rest: 0 },
    apply: (picture, value) => picture.hue(Number(value)),
  },
  {
    name: 'gray',
    label: 'Without colours',
    group: 'Colours',
    input: { kind: 'flag' },
    apply: (picture) => picture.grayscale(),
  },
  {
    name: 'sepia',
    label: 'Sepia',
    group: 'Colours',
    input: { kind: 'flag' },
    apply: (picture) => picture.sepia(),
  },
  {
    name: 'invert',
    label: 'Negative',
    group: 'Colours',
    input: { kind: 'flag' },
    apply: (picture) => picture.invert(),
  },
  {
    name: 'blur',
    label: 'Blur',
    group: 'Shape',
    input: strength,
    apply: (picture, value) => picture.blur(Number(value)),
  },
  {
    name: 'sharp',
    label: 'Sharpen',
    group: 'Shape',
    input: strength,
    apply: (picture, value) => picture.sharpen(Number(value)),
  },
  {
    name: 'rot',
    label: 'Turn',
    group: 'Shape',
    input: { kind: 'slider', min: 0, max: 359, rest: 0 },
    apply: (picture, value) => picture.rotate(Number(value)),
  },
  {
    name: 'flip',
    label: 'Mirror',
    group: 'Shape',
    input: {
      kind: 'choice',
      choices: [
        ['h', 'left to right'],
        ['v', 'top to bottom'],
        ['hv', 'both'],
      ],
    },
    apply: (picture, value) => picture.flip(value as 'h' | 'v' | 'hv'),
  },
  {
    name: 'trim',
    label: 'Trim edges of one colour',
    group: 'Shape',
    input: { kind: 'number', min: 0, max: 100 },
    help: 'Tolerance in per cent.',
    apply: (picture, value) => picture.trim(Number(value)),
  },
  {
    name: 'bg-remove',
    label: 'Remove the background',
    group: 'Frame',
    input: { kind: 'flag' },
    apply: (picture) => picture.removeBackground(),
  },
  {
    name: 'bg',
    label: 'Background',
    group: 'Frame',
    input: { kind: 'colour' },
    apply: (picture, value) => picture.background(value),
  },
  {
    name: 'r',
    label: 'Round corners',
    group: 'Frame',
    input: { kind: 'number', min: 0, max: 8192 },
    help: 'Half of the side makes a circle.',
    apply: (picture, value) => picture.radius(Number(value)),
  },
  {
    name: 'pad',
    label: 'Padding',
    group: 'Frame',
    input: { kind: 'number', min: 0, max: 2000 },
    apply: (picture, value) => picture.pad(Number(value)),
  },
  {
    name: 'border',
    label: 'Border',
    group: 'Frame',
    input: { kind: 'number', min: 1, max: 500 },
    apply: (picture, value, values) => picture.border(Number(value), values['border-colour'] || 'black'),
  },
  {
    name: 'border-colour',
    label: 'Colour of the border',
    group: 'Frame',
    input: { kind: 'colour' },
    apply: (picture) => picture,
  },
  {
    name: 'mark',
    label: 'Another picture on top',
    group: 'Watermark',
    input: { kind: 'text', placeholder: 'its object id' },
    apply: (picture, value, values) =>
      picture.watermark(value, {
        ...(values['markpos'] ? { position: values['markpos'] as Place } : {}),
        ...(values['markw'] ? { width: Number(values['markw']) } : {}),
        ...(values['marka'] ? { opacity: Number(values['marka']) } : {}),
      }),
  },
  {
    name: 'markpos',
    label: 'Where',
    group: 'Watermark',
    input: { kind: 'choice', choices: named(...places) },
    apply: (picture) => picture,
  },
  {
    name: 'markw',
    label: 'Width in per cent',
    group: 'Watermark',
    input: { kind: 'number', min: 1, max: 100 },
    apply: (picture) => picture,
  },
  {
    name: 'marka',
    label: 'Opacity in per cent',
    group: 'Watermark',
    input: { kind: 'number', min: 1, max: 100 },
    apply: (picture) => picture,
  },
  {
    name: 'anim',
    label: 'Still of the animation',
    group: 'More',
    for: 'moving',
    input: { kind: 'flag' },
    apply: (picture) => picture.still(),
  },
  {
    name: 't',
    label: 'Moment in seconds',
    group: 'More',
    for: 'moving',
    input: { kind: 'number', min: 0, max: 86_400, step: 0.5 },
    apply: (picture, value) => picture.at(Number(value)),
  },
  {
    name: 'page',
    label: 'Frame of the animation',
    group: 'More',
    for: 'moving',
    input: { kind: 'number', min: 1, max: 10_000 },
    apply: (picture, value) => picture.page(Number(value)),
  },
  {
    name: 'preset',
    label: 'Preset of the account',
    group: 'More',
    input: { kind: 'text' },
    apply: (picture, value) => picture.preset(value),
  },
  {
    name: 'v',
    label: 'Version',
    group: 'More',
    input: { kind: 'text' },
    help: 'Changes the address alone, for caches.',
    apply: (picture, value) => picture.version(value),
  },
];

export function lookOf(picture: ImageAddress, values: Values): ImageAddress {
  return controls.reduce((made, { name, apply }) => {
    const value = values[name] ?? '';
    return value === '' ? made : apply(made, value, values);
  }, picture);
}
