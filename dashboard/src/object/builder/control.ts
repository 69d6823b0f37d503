// One thing that can be asked of a picture: how it is shown, and what it does to the address.
import type { ImageAddress } from '../../../../client/src/index.ts';

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

/** Choices that are called by their value. */
export const named = (...values: readonly string[]) =>
  values.map((value) => [value, value.replace('-', ' ')] as const);
