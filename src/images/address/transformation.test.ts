import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { AppError } from '../../platform/errors.ts';
import { formatSpellings } from './formats.ts';
import { tokenNames, tokenRow } from './tokens.ts';
import type { TokenName } from './tokens.ts';
import { checkPresetTokens, parseTransformation, printTransformation, withFormat } from './transformation.ts';

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
    assert.deepEqual(parseTransformation('original.webp'), {
      kind: 'variant',
      tokens: {},
      format: 'webp',
      preset: 'none',
      versioned: false,
    });
  });

  test('tokens come in any order', () => {
    const tokens = { w: 800, fit: 'max', q: 80 };
    for (const text of ['w-800_fit-max_q-80.jpg', 'q-80_w-800_fit-max.jpeg'])
      assert.partialDeepStrictEqual(parseTransformation(text), { tokens, format: 'jpg' });
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
    'g-auto_w-5.webp': 'w-5.webp',
    'g-auto_w-5_h-5.webp': 'g-auto_h-5_w-5.webp',
    'g-auto_w-5_h-5_fit-fill.webp': 'fit-fill_h-5_w-5.webp',
    'g-center_w-5_h-5.webp': 'h-5_w-5.webp',
    'fp-0.50-0.2_g-top_w-5_h-5.webp': 'fp-0.5-0.2_h-5_w-5.webp',
    'ar-32-18_w-5.webp': 'ar-16-9_w-5.webp',
    'ar-3.82-2.webp': 'ar-1.91-1.webp',
    'ar-1-1_w-5_h-5.webp': 'h-5_w-5.webp',
    'dpr-2.webp': 'original.webp',
    'dpr-2_w-5': 'dpr-2_w-5.auto',
    'dpr-1.0_w-5.webp': 'w-5.webp',
    'rot-n90.webp': 'rot-270.webp',
    'rot-360.webp': 'original.webp',
    'hue-360_bri-0_r-0_pad-0.webp': 'original.webp',
    'con-n5.webp': 'con-n5.webp',
    'bg-FFF.webp': 'bg-ffffff.webp',
    'bg-red.webp': 'bg-ff0000.webp',
    'bg-ff0000ff.webp': 'bg-ff0000.webp',
    'bg-f008.webp': 'bg-ff000088.webp',
    'bg-transparent.webp': 'bg-00000000.webp',
    'bg-red_bg-remove.png': 'bg-ff0000_bg-remove.png',
    'border-3-white.png': 'border-3-ffffff.png',
    'markw-10_marka-5.png': 'original.png',
    'mark-my~5flogo~2epng_markpos-bottom-right.png': 'mark-my~5flogo~2epng.png',
    'anim-0.jpg': 'original.jpg',
    'anim-0.webp': 'anim-0.webp',
    'page-1.webp': 'anim-0.webp',
    'page-1.jpg': 'original.jpg',
    'page-2_anim-0.webp': 'page-2.webp',
    't-1.50_page-2_anim-0.webp': 't-1.5.webp',
    'meta-all.gif': 'original.gif',
    'w-5_v-12.webp': 'w-5.webp',
    'v-a~2eb': 'original.auto',
    'fp-0.1-0.2_w-5_h-5': 'fp-0.1-0.2_h-5_w-5.auto',
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

suite('presets', () => {
  const presets = { card: 'w-300_h-200_fit-contain', a_b: 'gray' };

  test('stand for their tokens, and others beside them are stronger', () => {
    const read = (text: string) => {
      const transformation = parseTransformation(text, presets);
      assert.ok(transformation.kind === 'variant');
      return [printTransformation(transformation), transformation.preset];
    };
    assert.deepEqual(read('preset-card.webp'), ['fit-contain_h-200_w-300.webp', 'alone']);
    assert.deepEqual(read('preset-card_v-2.webp'), ['fit-contain_h-200_w-300.webp', 'alone']);
    assert.deepEqual(read('preset-card_w-50_fit-cover.webp'), ['h-200_w-50.webp', 'changed']);
    assert.deepEqual(read('preset-a~5fb.webp'), ['gray.webp', 'alone']);
    assert.deepEqual(read('w-5.webp'), ['w-5.webp', 'none']);
  });

  test('are checked when they are made', () => {
    for (const tokens of ['w-5', 'bg-remove_bg-fff', 'fp-0.5-0.5_w-5_h-5']) checkPresetTokens(tokens);
    for (const tokens of ['', 'w-5.webp', 'preset-card', 'v-1', 'w-0', 'w-5_', 'x'.repeat(600)])
      assert.throws(() => checkPresetTokens(tokens), AppError, tokens);
  });
});

test('every example of the reference can be read', () => {
  for (const name of tokenNames)
    assert.equal(
      parseTransformation(`${tokenRow(name).example}.webp`, { card: 'w-5' }).kind,
      'variant',
      name,
    );
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
    'zoom-5.webp': `Unknown token "zoom-5": the tokens are ${tokenNames.join(', ')}`,
    'w-5.tiff': 'Unknown format "tiff": the formats are webp, avif, jpg, png, gif, jpeg, auto, json',
    'bri-n101.webp': 'Token "bri-n101" is out of range: bri takes n100–100',
    'con-n0.webp': 'Token "con-n0" is out of range: con takes n100–100',
    'gray-1.webp': 'Token "gray-1" is out of range: gray takes no value',
    'fp-0.5.webp': 'Token "fp-0.5" is out of range: fp takes x-y, 0–1 each',
    'fp-1.5-0.webp': 'Token "fp-1.5-0" is out of range: fp takes x-y, 0–1 each',
    'ar-0-5.webp': 'Token "ar-0-5" is out of range: ar takes a-b, 1–100 each',
    'dpr-5.1_w-5.webp': 'Token "dpr-5.1" is out of range: dpr takes 0.1–5',
    'bg-reddish.webp':
      'Token "bg-reddish" is out of range: bg takes a colour: 3, 4, 6 or 8 hex digits or a CSS name',
    'bg-remove_bg-remove.png': 'Token "bg-remove" repeats bg-remove, which may be given once',
    'bg-red_bg-blue.png': 'Token "bg-blue" repeats bg, which may be given once',
    'mark-a~00.png': 'Token "mark-a~00" is out of range: mark takes the id of another picture of the bucket',
    'preset-card.webp': 'There is no preset "card" in this account',
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
  const integers = (min: number, max: number): fc.Arbitrary<string> => fc.integer({ min, max }).map(String);
  const signed = (most: number): fc.Arbitrary<string> =>
    fc.integer({ min: -most, max: most }).map((number) => (number < 0 ? `n${-number}` : String(number)));
  const decimals = (min: number, max: number): fc.Arbitrary<string> =>
    fc.integer({ min: min * 1000, max: max * 1000 }).map((number) => String(number / 1000));
  const joined = (...parts: fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
    fc.tuple(...parts).map((values) => values.join('-'));
  const place = fc.constantFrom('center', 'top', 'bottom-left', 'right');
  const shade = fc.constantFrom('red', 'F00', 'f008', '336699', '33669980', 'transparent', 'navy');
  const values: Record<TokenName, fc.Arbitrary<string> | null> = {
    w: integers(1, 8192),
    h: integers(1, 8192),
    fit: fc.constantFrom('cover', 'contain', 'fill', 'inside', 'outside', 'max'),
    g: fc.oneof(place, fc.constantFrom('auto', 'entropy', 'face')),
    fp: joined(decimals(0, 1), decimals(0, 1)),
    ar: joined(decimals(1, 100), decimals(1, 100)),
    crop: joined(integers(0, 9999), integers(0, 9999), integers(1, 9999), integers(1, 9999)),
    dpr: decimals(0.1, 5),
    q: fc.oneof(integers(1, 100), fc.constant('auto')),
    rot: signed(360),
    flip: fc.constantFrom('h', 'v', 'hv'),
    blur: integers(1, 100),
    sharp: integers(1, 100),
    bri: signed(100),
    con: signed(100),
    sat: signed(100),
    gam: signed(100),
    hue: integers(0, 360),
    gray: null,
    invert: null,
    sepia: null,
    'bg-remove': null,
    bg: shade,
    pad: integers(0, 2000),
    border: joined(integers(1, 500), shade),
    r: fc.oneof(integers(0, 8192), fc.constant('max')),
    trim: integers(0, 100),
    mark: fc.constantFrom('logo', 'a~5fb', 'a~2eb-c'),
    markpos: place,
    markw: integers(1, 100),
    marka: integers(1, 100),
    anim: fc.constantFrom('0', '1'),
    page: integers(1, 10_000),
    t: decimals(0, 86_400),
    meta: fc.constantFrom('none', 'copyright', 'all'),
    preset: fc.constantFrom('card', 'wide'),
    v: fc.constantFrom('1', 'a~2eb'),
  };
  const presets = { card: 'w-300_h-200_fit-contain', wide: 'ar-16-9_q-60' };
  const readable = (name: TokenName): fc.Arbitrary<string> =>
    values[name]?.map((text) => `${name}-${text}`) ?? fc.constant(name);
  const value = fc.oneof(...Object.values(values).filter((arbitrary) => arbitrary !== null));
  const tokenList = fc
    .subarray([...tokenNames], { minLength: 1, maxLength: 13 })
    .chain((names) => fc.tuple(...names.map(readable)))
    .chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })));
  const suffix = fc.constantFrom('', ...formatSpellings.map((format) => `.${format}`));

  test('reading what was written gives the same, and writing it again too', () => {
    fc.assert(
      fc.property(tokenList, suffix, ([list], format) => {
        const read = parseTransformation(list.join('_') + format, presets);
        const printed = printTransformation(read);
        const again = parseTransformation(printed);
        assert.ok(read.kind === 'variant' && again.kind === 'variant');
        assert.deepEqual([again.tokens, again.format], [read.tokens, read.format]);
        assert.equal(canonical(printed), printed);
      }),
      { numRuns: 2_000 },
    );
  });

  test('the order of tokens makes no difference', () => {
    fc.assert(
      fc.property(tokenList, suffix, ([list, shuffled], format) => {
        const name = (texts: string[]): string =>
          printTransformation(parseTransformation(texts.join('_') + format, presets));
        assert.equal(name(shuffled), name(list));
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
          parseTransformation(input, presets);
        } catch (error) {
          assert.ok(error instanceof AppError && error.status === 400, String(error));
        }
      }),
      { numRuns: 20_000 },
    );
  });
});
