// How large a picture is, which part of it is kept, and as what it is written.
import { type Fit, type Format, type Gravity, places } from '../../../../client/src/index.ts';
import { type Control, named } from './control.ts';

const pixels = { kind: 'number', min: 1, max: 8192 } as const;
const list = (value: string): number[] => value.split(',').map(Number);
const isWhole = (value: string, parts: number): boolean =>
  value.split(',').length === parts && value.split(',').every((part) => part !== '');

export const sizeControls: readonly Control[] = [
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
];
