// The kinds of values a token can take. Each reads exactly one spelling of a value, so that no two addresses mean the same.

export type TokenValue<Value> = {
  /** The range as a reader sees it, in error messages and in the reference. */
  readonly takes: string;
  /** `text` is what follows `name-`, or null when the token is its bare name; undefined means out of range. */
  parse(text: string | null): Value | undefined;
  print(value: Value): string | null;
};

const plainDigits = /^[1-9][0-9]{0,8}$/;

export function integer(minimum: number, maximum: number): TokenValue<number> {
  return {
    takes: `${minimum}–${maximum}`,
    parse(text) {
      if (text === null || (text !== '0' && !plainDigits.test(text))) return undefined;
      const value = Number(text);
      return value >= minimum && value <= maximum ? value : undefined;
    },
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
