// The kinds of values a token can take. Each prints exactly one spelling of a value, so that no two addresses make two
// files of one picture.
import { type Colour, parseColour, printColour } from './colour.ts';

export type TokenValue<Value> = {
  /** The range as a reader sees it, in error messages and in the reference. */
  readonly takes: string;
  /** `text` is what follows `name-`, or null when the token is its bare name; undefined means out of range. */
  parse(text: string | null): Value | undefined;
  print(value: Value): string | null;
};

const plainDigits = /^(0|[1-9][0-9]{0,8})$/;
const plainDecimal = /^(0|[1-9][0-9]{0,5})(\.[0-9]{1,4})?$/;

function within(value: number, minimum: number, maximum: number): number | undefined {
  return value >= minimum && value <= maximum ? value : undefined;
}

export function integer(minimum: number, maximum: number): TokenValue<number> {
  return {
    takes: `${minimum}–${maximum}`,
    parse: (text) =>
      text !== null && plainDigits.test(text) ? within(Number(text), minimum, maximum) : undefined,
    print: String,
  };
}

/** A minus would read as the separator of tokens' names and values: `n` stands for it. */
export function signedInteger(minimum: number, maximum: number): TokenValue<number> {
  return {
    takes: `${signed(minimum)}–${signed(maximum)}`,
    parse(text) {
      const [, minus, digits = ''] = /^(n?)(.*)$/.exec(text ?? '') ?? [];
      if (!plainDigits.test(digits) || (minus && digits === '0')) return undefined;
      return within(minus ? -Number(digits) : Number(digits), minimum, maximum);
    },
    print: signed,
  };
}

function signed(value: number): string {
  return value < 0 ? `n${-value}` : String(value);
}

/** Turns that end where another ends are one: 0 to 359. */
export function degrees(): TokenValue<number> {
  const number = signedInteger(-360, 360);
  return {
    takes: `${number.takes} degrees`,
    parse(text) {
      const value = number.parse(text);
      return value === undefined ? undefined : (value + 360) % 360;
    },
    print: String,
  };
}

export function decimal(minimum: number, maximum: number): TokenValue<number> {
  return {
    takes: `${minimum}–${maximum}`,
    parse: (text) =>
      text !== null && plainDecimal.test(text) ? within(Number(text), minimum, maximum) : undefined,
    print: String,
  };
}

export function choice<const Word extends string>(...words: readonly Word[]): TokenValue<Word> {
  return {
    takes: words.join(', '),
    parse: (text) => words.find((word) => word === text),
    print: (word) => word,
  };
}

export function integerOr<const Word extends string>(
  minimum: number,
  maximum: number,
  word: Word,
): TokenValue<number | Word> {
  const number = integer(minimum, maximum);
  return {
    takes: `${number.takes} or ${word}`,
    parse: (text) => (text === word ? word : number.parse(text)),
    print: String,
  };
}

/** Its name is all there is to say. */
export function flag(): TokenValue<true> {
  return {
    takes: 'no value',
    parse: (text) => (text === null ? true : undefined),
    print: () => null,
  };
}

export function colour(): TokenValue<Colour> {
  return {
    takes: 'a colour: 3, 4, 6 or 8 hex digits or a CSS name',
    parse: (text) => (text === null ? undefined : parseColour(text)),
    print: printColour,
  };
}

/** Several values in a row, joined by `-`. */
export function row<Values extends readonly unknown[]>(
  takes: string,
  ...kinds: { readonly [Index in keyof Values]: TokenValue<Values[Index]> }
): TokenValue<Values> {
  return {
    takes,
    parse(text) {
      const parts = text?.split('-') ?? [];
      if (parts.length !== kinds.length) return undefined;
      const values = kinds.map((kind, index) => kind.parse(parts[index] as string));
      return values.includes(undefined) ? undefined : (values as unknown as Values);
    },
    print: (values) => kinds.map((kind, index) => kind.print(values[index])).join('-'),
  };
}

const escapes: Readonly<Record<string, string>> = { '~5f': '_', '~2e': '.', '~7e': '~' };

/** Free text, in which the characters that have a meaning in an address are written `~5f`, `~2e` and `~7e`. */
export function text(takes: string, pattern: RegExp): TokenValue<string> {
  return {
    takes,
    parse(written) {
      if (written === null || /~(?!5f|2e|7e)|\./.test(written)) return undefined;
      const value = written.replace(/~(5f|2e|7e)/g, (escape) => escapes[escape] as string);
      return pattern.test(value) ? value : undefined;
    },
    print: (value) => value.replaceAll('~', '~7e').replaceAll('_', '~5f').replaceAll('.', '~2e'),
  };
}
