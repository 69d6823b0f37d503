import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { AppError } from '../../platform/errors.ts';
import { formats } from '../address/formats.ts';
import { planRendering } from './plan.ts';
import type { SourceFacts } from './plan.ts';
import { variantTransformation } from '../../../test/support/plain-quarters.ts';

function source(width: number, height: number, more: Partial<SourceFacts> = {}): SourceFacts {
  return { width, height, frames: 1, alpha: false, type: 'image/jpeg', ...more };
}

function sizeOf(facts: SourceFacts, text: string): [number, number] {
  const { width, height } = planRendering(facts, variantTransformation(text));
  return [width, height];
}

suite('the size of the result', () => {
  const sizes: readonly [facts: SourceFacts, text: string, width: number, height: number][] = [
    [source(600, 400), 'original.webp', 600, 400],
    [source(600, 400), 'w-300.webp', 300, 200],
    [source(600, 400), 'h-100.webp', 150, 100],
    [source(600, 400), 'w-1200.webp', 1200, 800],
    [source(600, 400), 'w-1200_fit-max.webp', 600, 400],
    [source(600, 400), 'w-300_fit-max.webp', 300, 200],
    [source(600, 400), 'w-200_h-200.webp', 200, 200],
    [source(600, 400), 'w-200_h-200_fit-contain.webp', 200, 200],
    [source(600, 400), 'w-200_h-200_fit-fill.webp', 200, 200],
    [source(600, 400), 'w-200_h-200_fit-inside.webp', 200, 133],
    [source(600, 400), 'w-200_h-200_fit-outside.webp', 300, 200],
    [source(600, 400), 'w-900_h-900_fit-inside.webp', 900, 600],
    [source(600, 400), 'w-900_h-900_fit-max.webp', 600, 400],
    [source(600, 400), 'w-300_h-900_fit-max.webp', 300, 200],
    [source(5000, 2), 'w-10.webp', 10, 1],
    // Half pixels go to the even side, as in libvips.
    [source(200, 101), 'w-100.webp', 100, 50],
    [source(200, 103), 'w-100.webp', 100, 52],
    [source(20_000, 1000), 'original.webp', 16_383, 819],
    [source(20_000, 1000), 'original.avif', 16_384, 819],
    [source(20_000, 1000), 'original.jpg', 20_000, 1000],
    [source(70_000, 100), 'original.jpg', 65_500, 94],
    [source(70_000, 100), 'original.png', 70_000, 100],
    [source(1, 10_000), 'w-8192.webp', 2, 16_383],
  ];
  for (const [facts, text, width, height] of sizes) {
    test(`${facts.width}×${facts.height} ${text} is ${width}×${height}`, () => {
      assert.deepEqual(sizeOf(facts, text), [width, height]);
    });
  }
});

test('animation is kept where source and format can', () => {
  const frames = (type: string, text: string): number =>
    planRendering(source(10, 10, { frames: 7, type }), variantTransformation(text)).frames;
  assert.equal(frames('image/gif', 'original.webp'), 7);
  assert.equal(frames('image/webp', 'w-5.gif'), 7);
  assert.equal(frames('image/gif', 'original.jpg'), 1);
  assert.equal(frames('image/gif', 'original.avif'), 1);
  assert.equal(frames('image/png', 'original.webp'), 1);
});

test('padding is transparent where the format can, else white', () => {
  const padding = (text: string): unknown =>
    planRendering(source(10, 20), variantTransformation(text)).background;
  assert.deepEqual(padding('w-9_h-9_fit-contain.png'), { r: 0, g: 0, b: 0, alpha: 0 });
  assert.deepEqual(padding('w-9_h-9_fit-contain.jpg'), { r: 255, g: 255, b: 255, alpha: 1 });
});

test('quality and effort', () => {
  const options = (facts: SourceFacts, text: string): unknown =>
    planRendering(facts, variantTransformation(text)).encoder.options;
  assert.deepEqual(options(source(10, 10), 'original.webp'), { effort: 2, quality: 80 });
  assert.deepEqual(options(source(10, 10), 'q-33.jpg'), { quality: 33 });
  assert.deepEqual(options(source(10, 10), 'q-33.png'), {});
  assert.deepEqual(options(source(1000, 1000), 'original.avif'), {
    effort: 1,
    chromaSubsampling: '4:2:0',
    quality: 55,
  });
  assert.deepEqual(options(source(2000, 2000), 'original.avif'), {
    effort: 0,
    chromaSubsampling: '4:2:0',
    quality: 55,
  });
});

test('results over 50 megapixels over all frames are refused with their size', () => {
  assert.throws(() => planRendering(source(1000, 1000), variantTransformation('w-8192_h-8192.webp')), {
    status: 400,
    code: 'invalid_transformation',
    message:
      'The result would be 8192×8192; the most is 50 megapixels over all frames: ask for a smaller w or h',
  });
  const bomb = source(1, 1, { frames: 10_000, type: 'image/gif' });
  assert.throws(() => planRendering(bomb, variantTransformation('w-200.webp')), /200×200 with 10000 frames/);
  assert.deepEqual(sizeOf(bomb, 'w-200.jpg'), [200, 200]);
  assert.throws(() =>
    planRendering(
      source(1, 8192, { frames: 6000, type: 'image/gif' }),
      variantTransformation('original.webp'),
    ),
  );
});

test('a long thin source is cut before it is enlarged to cover the box', () => {
  const plan = planRendering(source(1, 10_000), variantTransformation('w-4000_h-3000.webp'));
  assert.deepEqual(plan.cut, { kind: 'before', region: { left: 0, top: 4999, width: 1, height: 1 } });
  assert.deepEqual(plan.resize, { width: 4000, height: 3000 });
  const usual = planRendering(source(600, 400), variantTransformation('w-200_h-200.webp'));
  assert.deepEqual(usual.cut, { kind: 'after', region: { left: 50, top: 0, width: 200, height: 200 } });
});

test('quick jobs are told from long ones', () => {
  const costClass = (facts: SourceFacts, text: string): string =>
    planRendering(facts, variantTransformation(text)).costClass;
  assert.equal(costClass(source(4000, 3000), 'h-200_w-200.webp'), 'light');
  assert.equal(costClass(source(4000, 3000), 'original.avif'), 'heavy');
  assert.equal(costClass(source(4000, 3000), 'original.gif'), 'heavy');
});

test('every plan keeps to the limits of its format and of the budget, or is refused with a 400', () => {
  const side = fc.integer({ min: 1, max: 8192 });
  const optional = (name: string): fc.Arbitrary<string[]> =>
    fc.option(side).map((px) => (px === null ? [] : [`${name}-${px}`]));
  const fit = fc
    .constantFrom('cover', 'contain', 'fill', 'inside', 'outside', 'max')
    .map((word) => [`fit-${word}`]);
  const format = fc.constantFrom(...(Object.keys(formats) as (keyof typeof formats)[]));
  const facts = fc.record({
    width: fc.integer({ min: 1, max: 100_000 }),
    height: fc.integer({ min: 1, max: 100_000 }),
    frames: fc.integer({ min: 1, max: 2000 }),
    alpha: fc.boolean(),
    type: fc.constantFrom('image/gif', 'image/webp', 'image/png'),
  });
  fc.assert(
    fc.property(facts, optional('w'), optional('h'), fit, format, (known, w, h, how, name) => {
      try {
        const plan = planRendering(known, variantTransformation(`${[...w, ...h, ...how].join('_')}.${name}`));
        const sides = [plan.width, plan.height];
        assert.ok(sides.every((px) => Number.isInteger(px) && px >= 1 && px <= formats[name].maxSidePixels));
        assert.ok(plan.width * plan.height * plan.frames <= 50e6);
        if (plan.crop !== null) {
          assert.ok(plan.crop.left >= 0 && plan.crop.left + plan.crop.width <= known.width);
          assert.ok(plan.crop.top >= 0 && plan.crop.top + plan.crop.height <= known.height);
        }
      } catch (error) {
        assert.ok(error instanceof AppError && error.status === 400, String(error));
      }
    }),
    { numRuns: 5_000 },
  );
});
