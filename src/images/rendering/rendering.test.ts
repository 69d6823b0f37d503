// Real pictures through real workers: every format from every format, judged by what a decoder finds in the result.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import sharp from 'sharp';
import type { Metadata } from 'sharp';
import { formats } from '../address/formats.ts';
import type { Format } from '../address/formats.ts';
import { createImageWorkerPool } from './image-worker-pool.ts';
import type { ImageWorkerPool } from './image-worker-pool.ts';
import {
  animation,
  colours,
  pixelAt,
  quarters,
  renderTask,
  scratchFolder,
} from '../../../test/support/plain-quarters.ts';
import type { Pixel, Scratch } from '../../../test/support/plain-quarters.ts';

suite('rendering', () => {
  let scratch: Scratch;
  let pool: ImageWorkerPool;
  let rendered = 0;

  before(async () => {
    scratch = await scratchFolder();
    pool = createImageWorkerPool({
      size: 2,
      maxQueued: 100,
      wallTimeMs: 10_000,
      maxRssBytes: 1 << 30,
      idleMs: 5_000,
    });
  });
  after(async () => {
    await pool.close();
    await scratch[Symbol.asyncDispose]();
  });

  async function render(inputPath: string, text: string): Promise<{ image: Buffer; header: Metadata }> {
    const outputPath = join(scratch.path, `variant-${(rendered += 1)}`);
    const { size, width, height } = await pool.render({ ...(await renderTask(inputPath, text)), outputPath });
    const image = (await readFile(outputPath)).subarray(0, size);
    const header = await sharp(image).metadata();
    assert.deepEqual([header.width, header.height], [width, height]);
    return { image, header };
  }

  async function assertPixel(
    image: Buffer,
    left: number,
    top: number,
    expected: Pixel,
    tolerance = 12,
  ): Promise<void> {
    const actual = await pixelAt(image, left, top);
    const near = expected.every((value, index) => Math.abs(value - (actual[index] ?? -1)) <= tolerance);
    assert.ok(near, `pixel ${left},${top} is ${actual.join()} instead of ${expected.join()}`);
  }

  for (const from of ['jpeg', 'png', 'webp', 'gif', 'avif'] as const) {
    test(`${from} to every format`, async () => {
      const source = await scratch.save(
        `quarters.${from}`,
        await quarters(120, 80).toFormat(from).toBuffer(),
      );
      await Promise.all(
        (Object.keys(formats) as Format[]).map(async (to) => {
          const { image, header } = await render(source, `w-60_h-60.${to}`);
          assert.equal(header.mediaType, formats[to].mediaType);
          assert.deepEqual([header.width, header.height], [60, 60]);
          await assertPixel(image, 10, 10, colours.red);
          await assertPixel(image, 50, 10, colours.green);
          await assertPixel(image, 10, 50, colours.blue);
          await assertPixel(image, 50, 50, colours.white);
        }),
      );
    });
  }

  test('orientation is applied and metadata is gone', async () => {
    const turned = quarters(120, 80)
      .withMetadata({ orientation: 6 })
      .withExifMerge({ IFD0: { Copyright: 'somebody' } });
    const source = await scratch.save('turned.jpg', await turned.jpeg().toBuffer());
    for (const text of ['original.webp', 'original.jpg', 'w-80_h-120.png']) {
      const { image, header } = await render(source, text);
      assert.deepEqual([header.width, header.height], [80, 120], text);
      assert.deepEqual(
        [header.exif, header.icc, header.xmp, header.orientation],
        [undefined, undefined, undefined, undefined],
      );
      await assertPixel(image, 10, 10, colours.blue);
      await assertPixel(image, 70, 10, colours.red);
    }
  });

  test('contain pads: transparent where the format can, else white', async () => {
    const source = await scratch.save('wide.png', await quarters(100, 50).png().toBuffer());
    const png = await render(source, 'w-60_h-60_fit-contain.png');
    await assertPixel(png.image, 30, 2, colours.clear);
    await assertPixel(png.image, 10, 25, colours.red);
    const jpg = await render(source, 'w-60_h-60_fit-contain.jpg');
    await assertPixel(jpg.image, 30, 2, colours.white);
  });

  test('transparent parts are kept, or laid on white', async () => {
    const source = await scratch.save('alpha.png', await quarters(60, 60, { alpha: true }).png().toBuffer());
    for (const format of ['webp', 'avif', 'png', 'gif'] as const) {
      const { image } = await render(source, `w-30.${format}`);
      assert.equal((await pixelAt(image, 25, 25))[3], 0, format);
    }
    const jpg = await render(source, 'w-30.jpg');
    await assertPixel(jpg.image, 25, 25, colours.white);
  });

  test('animation is kept in webp and gif, and its first frame elsewhere', async () => {
    const moving = (await animation(40, 30, 5)).gif({ delay: [100, 200, 300, 400, 500], loop: 3 });
    const source = await scratch.save('moving.gif', await moving.toBuffer());
    for (const text of ['original.webp', 'w-20_h-20.webp', 'w-20_h-20_fit-contain.webp', 'w-20_h-20.gif']) {
      const { header } = await render(source, text);
      assert.equal(header.pages, 5, text);
      assert.deepEqual(header.delay, [100, 200, 300, 400, 500]);
      assert.equal(header.loop, 3);
    }
    for (const text of ['original.jpg', 'w-20.avif', 'w-20.png']) {
      const { image, header } = await render(source, text);
      assert.equal(header.pages ?? 1, 1, text);
      await assertPixel(image, 5, 5, [250, 0, 90, 255]);
    }
  });

  test('an animation that has to be turned becomes a still', async () => {
    const moving = (await animation(40, 30, 3)).withMetadata({ orientation: 6 }).webp();
    const source = await scratch.save('turned.webp', await moving.toBuffer());
    const { header } = await render(source, 'original.webp');
    assert.deepEqual([header.width, header.height, header.pages ?? 1], [30, 40, 1]);
  });

  test('other colour spaces become sRGB', async () => {
    const deep = sharp({ create: { width: 20, height: 20, channels: 3, background: '#ff0000' } });
    const pictures = {
      'p3-8.png': deep.clone().withIccProfile('p3').png(),
      'srgb-16.png': deep.clone().toColourspace('rgb16').withIccProfile('srgb').png(),
      'p3-16.png': deep.clone().toColourspace('rgb16').withIccProfile('p3').png(),
      'cmyk.jpg': deep.clone().toColourspace('cmyk').jpeg(),
      'grey.png': deep.clone().greyscale().toColourspace('b-w').png(),
    };
    for (const [name, picture] of Object.entries(pictures)) {
      const source = await scratch.save(name, await picture.toBuffer());
      const { image, header } = await render(source, 'w-10.png');
      assert.deepEqual([header.space, header.depth, header.hasProfile], ['srgb', 'uchar', false], name);
      if (name.includes('-')) await assertPixel(image, 5, 5, [255, 0, 0, 255], 3);
    }
  });

  test('a long thin picture covers a box however large', async () => {
    const thin = sharp({ create: { width: 1, height: 10_000, channels: 3, background: '#dc2828' } });
    const source = await scratch.save('thin.png', await thin.png().toBuffer());
    const { image } = await render(source, 'w-1200_h-900.jpg');
    await assertPixel(image, 600, 450, colours.red);
  });

  test('quality counts', async () => {
    const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const;
    const picture = sharp({ create: { width: 200, height: 200, channels: 3, background: 'grey', noise } });
    const source = await scratch.save('noise.png', await picture.png().toBuffer());
    for (const format of ['webp', 'avif', 'jpg'] as const) {
      const low = await render(source, `q-10.${format}`);
      const usual = await render(source, `original.${format}`);
      const high = await render(source, `q-95.${format}`);
      assert.ok(low.image.length < usual.image.length && usual.image.length < high.image.length, format);
    }
  });
});
