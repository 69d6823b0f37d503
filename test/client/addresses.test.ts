// The client's builder against the service's own reading of addresses: every token can be built, and means what it says.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { image, type ImageAddress } from '../../client/src/image.ts';
import tintypeLoader from '../../client/src/next.ts';
import { extract, generate, transform } from '../../client/src/unpic.ts';
import { tokenNames, type TokenValues } from '../../src/images/address/tokens.ts';
import { parseTransformation } from '../../src/images/address/transformation.ts';

const base = 'https://media.example.com/files/b1/254eb321f618/';
const box = image(base).width(300).height(200);

/** What each is read as, beside the box that makes some of them matter. */
const cases: [keyof TokenValues, ImageAddress, unknown?][] = [
  ['w', box, 300],
  ['h', box, 200],
  ['fit', box.fit('contain'), 'contain'],
  ['g', box.gravity('top-left'), 'top-left'],
  ['fp', box.focus(0.25, 0.4), [0.25, 0.4]],
  ['ar', image(base).width(640).aspectRatio(16, 9), [16, 9]],
  ['crop', box.crop(10, 20, 300, 200), [10, 20, 300, 200]],
  ['dpr', box.dpr(1.5), 1.5],
  ['q', box.quality(60), 60],
  ['rot', box.rotate(90), 90],
  ['flip', box.flip('hv'), 'hv'],
  ['blur', box.blur(5), 5],
  ['sharp', box.sharpen(50), 50],
  ['bri', box.brightness(-20), -20],
  ['con', box.contrast(30), 30],
  ['sat', box.saturation(-100), -100],
  ['gam', box.gamma(25), 25],
  ['hue', box.hue(180), 180],
  ['gray', box.grayscale(), true],
  ['invert', box.invert(), true],
  ['sepia', box.sepia(), true],
  ['bg-remove', box.removeBackground(), true],
  ['bg', box.background('#eee')],
  ['pad', box.pad(20), 20],
  ['border', box.border(4, 'red')],
  ['r', box.radius('max'), 'max'],
  ['trim', box.trim(10), 10],
  ['mark', box.watermark('my_logo.v2'), 'my_logo.v2'],
  ['markpos', box.watermark('logo', { position: 'top' }), 'top'],
  ['markw', box.watermark('logo', { width: 50 }), 50],
  ['marka', box.watermark('logo', { opacity: 40 }), 40],
  ['anim', box.still(), '0'],
  ['page', box.page(3), 3],
  ['t', box.at(1.5), 1.5],
  ['meta', box.metadata('copyright'), 'copyright'],
];

for (const [name, picture, meant] of cases) {
  test(`${name}: ${picture.format('webp').transformation}`, () => {
    const read = parseTransformation(picture.format('webp').transformation);
    assert.ok(read.kind === 'variant');
    assert.notEqual(read.tokens[name], undefined);
    if (meant !== undefined) assert.deepEqual(read.tokens[name], meant);
  });
}

test('preset and version', () => {
  const picture = box.preset('card_small').version('2.1');
  const read = parseTransformation(picture.transformation, { card_small: 'gray' });
  assert.ok(read.kind === 'variant' && read.versioned);
  assert.equal(read.tokens.gray, true);
});

test('every token can be built', () => {
  const built = new Set<string>([...cases.map(([name]) => name), 'preset', 'v']);
  assert.deepEqual(
    tokenNames.filter((name) => !built.has(name)),
    [],
  );
});

test('any address of the object will do, and nothing asked for is the original', () => {
  assert.equal(image(base).url, `${base}original`);
  assert.equal(image(`${base}original`).width(10).url, `${base}w-10`);
  assert.equal(image(`${base}w-20.webp`).format('auto').url, `${base}original.auto`);
});

test('one look has one address, in whatever order it is described', () => {
  const one = image(base).width(200).height(100).grayscale().format('webp');
  const other = image(base).grayscale().format('webp').height(100).width(200);
  assert.equal(one.url, other.url);
  assert.equal(String(one), `${base}gray_h-100_w-200.webp`);
  assert.equal(JSON.stringify({ one }), `{"one":"${base}gray_h-100_w-200.webp"}`);
});

test('a builder that was kept does not change', () => {
  const kept = image(base).width(100);
  kept.height(50);
  assert.equal(kept.url, `${base}w-100`);
});

test('srcset by widths and by densities', () => {
  const picture = image(base).format('auto');
  assert.equal(picture.srcset({ widths: [400, 800] }), `${base}w-400.auto 400w, ${base}w-800.auto 800w`);
  assert.equal(
    picture.srcset({ width: 33, densities: [1, 1.5] }),
    `${base}w-33.auto 1x, ${base}w-50.auto 1.5x`,
  );
});

test('the loader of next/image', () => {
  assert.equal(tintypeLoader({ src: base, width: 640 }), `${base}fit-max_q-auto_w-640.auto`);
  assert.equal(tintypeLoader({ src: base, width: 640, quality: 75 }), `${base}fit-max_q-75_w-640.auto`);
});

test('unpic: out of an address, into one, and changed', () => {
  assert.deepEqual(extract(`${base}fit-max_h-20_q-75_w-10.webp`), {
    src: base,
    operations: { width: 10, height: 20, quality: 75, fit: 'max', format: 'webp' },
  });
  assert.equal(generate(base, { width: 10, format: 'avif' }), `${base}w-10.avif`);
  assert.equal(transform(`${base}w-10_h-5.webp`, { width: 20 }), `${base}h-5_w-20.webp`);
  assert.equal(transform(`${base}g-face_w-400.webp`, { width: 800 }), `${base}g-face_w-800.webp`);
  assert.equal(transform(base, { width: 20 }), `${base}w-20.auto`);
  assert.equal(extract('not an address'), null);
});
