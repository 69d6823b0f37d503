// What becomes of its pixels: colours, sharpness, turning.
import type { Control } from './control.ts';

const change = { kind: 'slider', min: -100, max: 100, rest: 0 } as const;
const strength = { kind: 'slider', min: 0, max: 100, rest: 0 } as const;

export const pixelControls: readonly Control[] = [
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
];
