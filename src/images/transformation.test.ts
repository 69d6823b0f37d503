import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { AppError } from '../platform/errors.ts';
import { formatSpellings } from './formats.ts';
import { tokenNames, tokenRow } from './tokens.ts';
import { parseTransformation, printTransformation, withFormat } from './transformation.ts';

function canonical(text: string): string {
  return printTransformation(parseTransformation(text));
}

function refusal(text: string): string {
  try {
    parseTransformation(text);
  } catch (error) {
    assert.ok(error instanceof AppError, String(error));
    assert.equal(error.status, 400);
    assert.equal(error.code, 'invalid_transformation');
    return error.message;
  }
  return assert.fail(`${text} was accepted`);
}

suite('reading a transformation', () => {
  test('original alone means the stored bytes, with a format a re-encoding', () => {
    assert.deepEqual(parseTransformation('original'), { kind: 'original' });
    assert.deepEqual(parseTransformation('original.webp'), { kind: 'variant', tokens: {}, format: 'webp' });
  });

  test('tokens come in any order', () => {
    const expected = { kind: 'variant', tokens: { w: 800, fit: 'max', q: 80 }, format: 'jpg' };
    assert.deepEqual(parseTransformation('w-800_fit-max_q-80.jpg'), expected);
    assert.deepEqual(parseTransformation('q-80_w-800_fit-max.jpeg'), expected);
  });

  const canonicalForms = {
    original: 'original',
    'original.jpeg': 'original.jpg',
    'h-200_w-200.webp': 'h-200_w-200.webp',
    'w-200_h-200.webp': 'h-200_w-200.webp',
    'w-200_fit-cover.webp': 'w-200.webp',
    'w-200_q-auto.webp': 'w-200.webp',
    'w-200': 'w-200.auto',
    'w-200.auto': 'w-200.auto',
    'fit-cover.png': 'original.png',
    'fit-fill.png': 'original.png',
    'fit-max.png': 'original.png',
    'w-5_fit-contain.png': 'w-5.png',
    'w-5_fit-max.png': 'fit-max_w-5.png',
    'q-50_w-5.png': 'w-5.png',
    'q-50_w-5.gif': 'w-5.gif',
    'q-50_w-5': 'q-50_w-5.auto',
  };
  for (const [text, form] of Object.entries(canonicalForms)) {
    test(`${text} is ${form}`, () => assert.equal(canonical(text), form));
  }

  test('what has no effect in the settled format falls away', () => {
    const transformation = parseTransformation('q-50_w-5');
    assert.ok(transformation.kind === 'variant');
    assert.equal(printTransformation(withFormat(transformation, 'png')), 'w-5.png');
    assert.equal(printTransformation(withFormat(transformation, 'avif')), 'q-50_w-5.avif');
  });
});

suite('refusing a transformation', () => {
  const refusals = {
    'w-9000.webp': 'Token "w-9000" is out of range: w takes 1–8192',
    'w-0.webp': 'Token "w-0" is out of range: w takes 1–8192',
    w: 'Token "w" is out of range: w takes 1–8192',
    'q-0.jpg': 'Token "q-0" is out of range: q takes 1–100 or auto',
    'fit-crop_w-5': 'Token "fit-crop" is out of range: fit takes cover, contain, fill, inside, outside, max',
    'w-5_w-6.webp': 'Token "w-6" repeats w, which may be given once',
    'w-5_original.webp': '"original" stands alone: it cannot be joined with tokens',
    'w-5__h-5.webp': 'There is an empty token: tokens are joined by a single "_"',
    '.webp': 'There is an empty token: tokens are joined by a single "_"',
    '': 'The transformation is empty: write original or tokens such as w-200.webp',
    'zoom-5.webp': 'Unknown token "zoom-5": the tokens are w, h, fit, q',
    'w-5.tiff': 'Unknown format "tiff": the formats are webp, avif, jpg, png, gif, jpeg, auto',
    'w-1.5': 'Token "w-1.5" is out of range: w takes 1–8192',
    'w-5.': 'Token "w-5." is out of range: w takes 1–8192',
  };
  for (const [text, message] of Object.entries(refusals)) {
    test(JSON.stringify(text), () => assert.equal(refusal(text), message));
  }

  test('other spellings of a number', () => {
    for (const number of ['007', '+5', '-5', '1e3', '0x10', ' 5', '5 ', '٥', '5.0', 'Infinity', 'NaN', '']) {
      refusal(`w-${number}.webp`);
    }
  });

  test('names every object has', () => {
    for (const name of ['__proto__', 'constructor', 'toString']) {
      refusal(`${name}-5.webp`);
      refusal(`w-5.${name}`);
    }
  });

  test('too long, too many', () => {
    assert.match(refusal(`w-5${'é'.repeat(255)}.webp`), /longer than 512 bytes/);
    assert.match(
      refusal(Array.from({ length: 17 }, (_, index) => `w-${index + 1}`).join('_')),
      /more than 16 tokens/,
    );
    assert.ok(refusal(`w-${'5'.repeat(400)}`).length < 120);
  });
});

suite('properties', () => {
  const word = fc.constantFrom('cover', 'contain', 'fill', 'inside', 'outside', 'max', 'auto');
  const value = fc.oneof(
    fc.integer({ min: 1, max: 8192 }).map(String),
    fc.integer({ min: 1, max: 100 }).map(String),
    word,
  );
  const readable = (name: (typeof tokenNames)[number]): fc.Arbitrary<string> =>
    value.filter((text) => tokenRow(name).value.parse(text) !== undefined).map((text) => `${name}-${text}`);
  const tokenList = fc
    .subarray([...tokenNames], { minLength: 1 })
    .chain((names) => fc.tuple(...names.map(readable)))
    .chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })));
  const suffix = fc.constantFrom('', ...formatSpellings.map((format) => `.${format}`));

  test('reading what was written gives the same, and writing it again too', () => {
    fc.assert(
      fc.property(tokenList, suffix, ([list], format) => {
        const transformation = parseTransformation(list.join('_') + format);
        const printed = printTransformation(transformation);
        assert.deepEqual(parseTransformation(printed), transformation);
        assert.equal(canonical(printed), printed);
      }),
      { numRuns: 2_000 },
    );
  });

  test('the order of tokens makes no difference', () => {
    fc.assert(
      fc.property(tokenList, suffix, ([list, shuffled], format) => {
        assert.equal(canonical(shuffled.join('_') + format), canonical(list.join('_') + format));
      }),
      { numRuns: 2_000 },
    );
  });

  test('no text makes it fail but with a 400', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        ...tokenNames,
        ...formatSpellings,
        'original',
        'n',
        '-',
        '_',
        '.',
        '__',
        '~5f',
        '%2e',
        '\0',
        '\ud800',
      ),
      value,
      fc.string({ unit: 'binary', maxLength: 6 }),
    );
    const tokenLike = fc.array(piece, { maxLength: 24 }).map((pieces) => pieces.join(''));
    const text = fc.oneof(
      tokenLike,
      fc.tuple(tokenList, suffix, piece).map(([[list], end, tail]) => list.join('_') + end + tail),
    );
    fc.assert(
      fc.property(text, (input) => {
        try {
          parseTransformation(input);
        } catch (error) {
          assert.ok(error instanceof AppError && error.status === 400, String(error));
        }
      }),
      { numRuns: 20_000 },
    );
  });
});
