// Every token through a real worker, judged by pixels: what is where, and in which colour.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import sharp from 'sharp';
import {
  animation,
  colours,
  quarters,
  renderTask,
  scratchFolder,
} from '../../../test/support/plain-quarters.ts';
import type { Pixel, Scratch } from '../../../test/support/plain-quarters.ts';
import { createImageWorkerPool } from './image-worker-pool.ts';
import type { ImageWorkerPool } from './image-worker-pool.ts';
import { tokenNames } from '../address/tokens.ts';
import type { TokenName } from '../address/tokens.ts';

type Picture = {
  width: number;
  height: number;
  pages: number;
  at(x: number, y: number): Pixel;
  bytes: Buffer;
};
type Extra = { mark?: string; mask?: string; face?: { x: number; y: number } | null };
type Render = (text: string, source?: string, extra?: Extra) => Promise<Picture>;
type Case = (render: Render) => Promise<void>;

const { red, green, blue, white, clear } = colours;
const black: Pixel = [0, 0, 0, 255];
const tolerance = 14;

function isNear(actual: Pixel, expected: Pixel, within = tolerance): boolean {
  return expected.every((value, index) => Math.abs(value - (actual[index] as number)) <= within);
}

function assertPixels(picture: Picture, expected: [x: number, y: number, colour: Pixel][]): void {
  for (const [x, y, colour] of expected) {
    const actual = picture.at(x, y);
    assert.ok(isNear(actual, colour), `pixel ${x},${y} is ${actual.join()} instead of ${colour.join()}`);
  }
}

function assertSize(picture: Picture, width: number, height: number): void {
  assert.deepEqual([picture.width, picture.height], [width, height]);
}

/** The four quarters, 120 × 80: red and green above, blue and white below. */
const cases: Record<Exclude<TokenName, 'preset' | 'v'>, Case> = {
  w: async (render) => {
    const picture = await render('w-60.png');
    assertSize(picture, 60, 40);
    assertPixels(picture, [
      [5, 5, red],
      [55, 35, white],
    ]);
  },
  h: async (render) => assertSize(await render('h-160.png'), 240, 160),
  fit: async (render) => {
    const padded = await render('w-60_h-60_fit-contain.png');
    assertPixels(padded, [
      [30, 2, clear],
      [10, 20, red],
      [50, 57, clear],
    ]);
    const filled = await render('w-60_h-60_fit-fill.png');
    assertPixels(filled, [
      [2, 28, red],
      [57, 32, white],
    ]);
    assertSize(await render('w-60_h-60_fit-inside.png'), 60, 40);
    assertSize(await render('w-60_h-60_fit-outside.png'), 90, 60);
    assertSize(await render('w-900_h-900_fit-max.png'), 120, 80);
  },
  g: async (render) => {
    assertPixels(await render('w-40_h-80_g-left.png'), [[38, 5, red]]);
    assertPixels(await render('w-40_h-80_g-right.png'), [[2, 5, green]]);
    assertPixels(await render('w-120_h-40_g-top.png'), [[2, 38, red]]);
    assertPixels(await render('w-120_h-40_g-bottom.png'), [[2, 2, blue]]);
    assertPixels(await render('w-40_h-80_g-bottom-right.png'), [[2, 75, white]]);
    assertPixels(await render('w-40_h-80.png'), [
      [15, 5, red],
      [25, 5, green],
    ]);
    const spot = await render('w-40_h-80_g-auto.png', 'spot');
    assert.ok(hasColour(spot, red), 'what catches the eye is cut off');
    const busy = await render('w-40_h-80_g-entropy.png', 'busy');
    assert.ok(spread(busy) > 40, 'where most happens is cut off');
    const face = await render('w-40_h-80_g-face.png', 'quarters', { face: { x: 0.9, y: 0.5 } });
    assertPixels(face, [[2, 5, green]]);
    const turned = await render('w-40_h-60_rot-90_g-face.png', 'quarters', { face: { x: 0.9, y: 0.1 } });
    assertPixels(turned, [[20, 50, green]]);
    const none = await render('w-40_h-80_g-face.png', 'spot', { face: null });
    assert.ok(hasColour(none, red), 'without a face it is not as auto');
  },
  fp: async (render) => {
    assertPixels(await render('w-40_h-80_fp-0-0.5.png'), [[38, 5, red]]);
    assertPixels(await render('w-40_h-80_fp-0.9-0.5.png'), [[2, 5, green]]);
    assertPixels(await render('w-40_h-80_fp-0.5-0.5.png'), [
      [15, 5, red],
      [25, 5, green],
    ]);
  },
  ar: async (render) => {
    assertSize(await render('w-64_ar-16-9.png'), 64, 36);
    assertSize(await render('h-30_ar-2-1.png'), 60, 30);
    assertSize(await render('ar-1-1.png'), 80, 80);
    const padded = await render('ar-1-1_fit-contain.png');
    assertSize(padded, 120, 120);
    assertPixels(padded, [
      [60, 5, clear],
      [5, 30, red],
    ]);
  },
  crop: async (render) => {
    const picture = await render('crop-60-40-60-40.png');
    assertSize(picture, 60, 40);
    assertPixels(picture, [
      [1, 1, white],
      [58, 38, white],
    ]);
    assertSize(await render('crop-100-70-500-500.png'), 20, 10);
    assertPixels(await render('crop-0-0-60-40_w-30_h-30.png'), [[15, 15, red]]);
    assertPixels(await render('crop-60-0-60-80_rot-180.png'), [
      [5, 5, white],
      [5, 75, green],
    ]);
    await assert.rejects(render('crop-120-0-5-5.png'), /outside the picture, which is 120×80/);
  },
  dpr: async (render) => {
    assertSize(await render('w-60_dpr-2.png'), 120, 80);
    assertSize(await render('w-60_h-60_dpr-0.5.png'), 30, 30);
    assertSize(await render('w-20_h-20_pad-5_dpr-2.png'), 60, 60);
  },
  q: async (render) => {
    const [low, high] = [await render('q-10.jpg', 'busy'), await render('q-95.jpg', 'busy')];
    assert.ok(low.bytes.length * 2 < high.bytes.length);
  },
  rot: async (render) => {
    const quarter = await render('rot-90.png');
    assertSize(quarter, 80, 120);
    assertPixels(quarter, [
      [5, 5, blue],
      [75, 5, red],
      [75, 115, green],
    ]);
    assertPixels(await render('rot-n90.png'), [[5, 5, green]]);
    assertPixels(await render('rot-180.png'), [[5, 5, white]]);
    const box = await render('rot-90_w-50_h-30.png');
    assertSize(box, 50, 30);
    assertPixels(box, [
      [5, 5, blue],
      [45, 5, red],
    ]);
    const askew = await render('rot-45_bg-000.png');
    assertSize(askew, 141, 141);
    assertPixels(askew, [
      [2, 2, black],
      [70, 20, red],
    ]);
    assertPixels(await render('rot-30_w-100.webp'), [[0, 0, clear]]);
    assertPixels(await render('rot-30_w-100.jpg'), [[0, 0, white]]);
    assertSize(await render('rot-30_w-100_h-100.jpg'), 100, 100);
  },
  flip: async (render) => {
    assertPixels(await render('flip-h.png'), [
      [5, 5, green],
      [5, 75, white],
    ]);
    assertPixels(await render('flip-v.png'), [[5, 5, blue]]);
    assertPixels(await render('flip-hv.png'), [[5, 5, white]]);
    assertPixels(await render('flip-h_w-40_h-80_g-left.png'), [[38, 5, green]]);
  },
  blur: async (render) => {
    const picture = await render('blur-10.png');
    const [r, g] = picture.at(60, 20);
    assert.ok(Math.abs(r - 130) < 20 && Math.abs(g - 110) < 20, 'the edge is as sharp as before');
    assertPixels(picture, [[2, 2, red]]);
  },
  sharp: async (render) => {
    const [plain, sharpened] = [
      await render('w-100.png', 'busy'),
      await render('w-100_sharp-80.png', 'busy'),
    ];
    assert.ok(spread(sharpened) > spread(plain) * 1.1, 'edges are not raised');
  },
  bri: async (render) => {
    const plain = (await render('w-10.png', 'grey')).at(5, 5)[0];
    assert.ok((await render('w-10_bri-30.png', 'grey')).at(5, 5)[0] > plain + 20);
    assert.ok((await render('w-10_bri-n30.png', 'grey')).at(5, 5)[0] < plain - 20);
    assertPixels(await render('w-10_bri-n100.png', 'grey'), [[5, 5, black]]);
  },
  con: async (render) => {
    assertPixels(await render('con-n100.png'), [
      [5, 5, [128, 128, 128, 255]],
      [110, 70, [128, 128, 128, 255]],
    ]);
    const [r, g, b] = (await render('con-50.png')).at(5, 5);
    assert.ok(r > 240 && g < 10 && b < 10);
  },
  sat: async (render) => {
    const [r, g, b] = (await render('sat-n100.png')).at(5, 5);
    assert.ok(Math.abs(r - g) < 6 && Math.abs(g - b) < 6, 'colour is left');
    const strong = (await render('w-10_sat-100.png', 'dull')).at(5, 5);
    const plain = (await render('w-10.png', 'dull')).at(5, 5);
    assert.ok(strong[0] - strong[2] > (plain[0] - plain[2]) * 1.3);
  },
  gam: async (render) => {
    const plain = (await render('w-10.png', 'grey')).at(5, 5)[0];
    assert.ok((await render('w-10_gam-60.png', 'grey')).at(5, 5)[0] > plain + 20);
    assert.ok((await render('w-10_gam-n60.png', 'grey')).at(5, 5)[0] < plain - 20);
    assertPixels(await render('gam-60.png'), [[110, 70, white]]);
  },
  hue: async (render) => {
    const [r, g, b] = (await render('hue-120.png')).at(5, 5);
    assert.ok(g > r && g > b, `red became ${r},${g},${b}`);
  },
  gray: async (render) => {
    for (const format of ['png', 'jpg', 'webp']) {
      const [r, g, b] = (await render(`gray.${format}`)).at(5, 5);
      assert.ok(Math.abs(r - g) < 4 && Math.abs(g - b) < 4 && r < 140);
    }
  },
  invert: async (render) => {
    assertPixels(await render('invert.png'), [
      [5, 5, [35, 215, 215, 255]],
      [110, 70, black],
    ]);
    assertPixels(await render('invert.png', 'alpha'), [[110, 70, [255, 255, 255, 0]]]);
    assertPixels(await render('invert.jpg', 'alpha'), [[110, 70, white]]);
    assertPixels(await render('invert_w-60_h-60_fit-contain_bg-fff.png'), [[30, 2, white]]);
  },
  sepia: async (render) => {
    const [r, g, b] = (await render('w-10_sepia.png', 'grey')).at(5, 5);
    assert.ok(r > g && g > b && r - b > 30);
  },
  'bg-remove': async (render) => {
    const extra = { mask: 'left-half' };
    assertPixels(await render('bg-remove.png', 'quarters', extra), [
      [5, 5, red],
      [115, 5, [40, 180, 60, 0]],
    ]);
    assertPixels(await render('bg-remove_bg-000.jpg', 'quarters', extra), [
      [5, 5, red],
      [115, 5, black],
    ]);
    assertPixels(await render('bg-remove.jpg', 'quarters', extra), [[115, 5, white]]);
    const cropped = await render('crop-30-0-60-80_w-30_bg-remove.png', 'quarters', extra);
    assertPixels(cropped, [[12, 5, red]]);
    assert.equal(cropped.at(18, 5)[3], 0);
    const turned = await render('rot-90_bg-remove.png', 'quarters', extra);
    assertPixels(turned, [[75, 5, red]]);
    assert.equal(turned.at(75, 115)[3], 0);
  },
  bg: async (render) => {
    assertPixels(await render('bg-00f.png', 'alpha'), [[110, 70, [0, 0, 255, 255]]]);
    assertPixels(await render('bg-rebeccapurple.jpg', 'alpha'), [[110, 70, [102, 51, 153, 255]]]);
    assertPixels(await render('bg-ff000080.png', 'alpha'), [
      [110, 70, [255, 0, 0, 128]],
      [5, 5, red],
    ]);
    assertPixels(await render('bg-ff000080.jpg', 'alpha'), [[110, 70, [255, 127, 127, 255]]]);
  },
  pad: async (render) => {
    const picture = await render('pad-10_bg-00f.png');
    assertSize(picture, 140, 100);
    assertPixels(picture, [
      [5, 50, [0, 0, 255, 255]],
      [15, 15, red],
      [135, 95, [0, 0, 255, 255]],
    ]);
    assertPixels(await render('pad-10.png'), [[5, 5, clear]]);
    const framed = await render('pad-10_bg-00f_border-5-black_r-20.png');
    assertSize(framed, 150, 110);
    assertPixels(framed, [
      [5, 55, [0, 0, 255, 255]],
      [11, 11, [0, 0, 255, 255]],
      [12, 55, black],
      [30, 30, red],
    ]);
  },
  border: async (render) => {
    const picture = await render('border-6-black.png');
    assertSize(picture, 132, 92);
    assertPixels(picture, [
      [2, 45, black],
      [129, 89, black],
      [8, 8, red],
    ]);
    const round = await render('border-6-black_r-20.png');
    assertPixels(round, [
      [1, 1, clear],
      [45, 2, black],
      [20, 20, red],
    ]);
  },
  r: async (render) => {
    const picture = await render('w-80_h-80_r-max.png');
    assertPixels(picture, [
      [2, 2, clear],
      [77, 77, clear],
      [30, 4, red],
      [4, 30, red],
    ]);
    assertPixels(await render('r-20.jpg'), [
      [0, 0, white],
      [30, 5, red],
    ]);
    assertPixels(await render('r-20_bg-000.png'), [[0, 0, black]]);
  },
  trim: async (render) => {
    const picture = await render('trim-5.png', 'framed');
    assertSize(picture, 60, 40);
    assertPixels(picture, [
      [1, 1, red],
      [58, 38, blue],
    ]);
    assertSize(await render('trim-5_w-30.png', 'framed'), 30, 20);
    assertSize(await render('trim-10.png', 'grey'), 40, 40);
  },
  mark: async (render) => {
    const picture = await render('mark-logo.png', 'quarters', { mark: 'logo' });
    assertPixels(picture, [
      [110, 70, black],
      [60, 70, white],
      [5, 5, red],
    ]);
  },
  markpos: async (render) => {
    assertPixels(await render('mark-logo_markpos-top-left.png', 'quarters', { mark: 'logo' }), [
      [10, 10, black],
      [110, 70, white],
    ]);
  },
  markw: async (render) => {
    assertPixels(await render('mark-logo_markw-50.png', 'quarters', { mark: 'logo' }), [[65, 60, black]]);
  },
  marka: async (render) => {
    assertPixels(await render('mark-logo_marka-50.png', 'quarters', { mark: 'logo' }), [
      [110, 70, [128, 128, 128, 255]],
    ]);
  },
  anim: async (render) => {
    assert.equal((await render('original.webp', 'moving')).pages, 4);
    const still = await render('anim-0.webp', 'moving');
    assert.equal(still.pages, 1);
    assertPixels(still, [[5, 5, [250, 0, 90, 255]]]);
  },
  page: async (render) => {
    const still = await render('page-3.webp', 'moving');
    assert.equal(still.pages, 1);
    assertPixels(still, [[5, 5, [170, 80, 90, 255]]]);
    assertPixels(await render('page-4.jpg', 'moving'), [[5, 5, [130, 120, 90, 255]]]);
    await assert.rejects(render('page-5.jpg', 'moving'), /has 4 frames/);
  },
  t: async (render) => {
    // Shown for 100, 200, 300 and 400 ms.
    assertPixels(await render('t-0.png', 'moving'), [[5, 5, [250, 0, 90, 255]]]);
    assertPixels(await render('t-0.15.png', 'moving'), [[5, 5, [210, 40, 90, 255]]]);
    assertPixels(await render('t-0.3.webp', 'moving'), [[5, 5, [170, 80, 90, 255]]]);
    assertPixels(await render('t-9.png', 'moving'), [[5, 5, [130, 120, 90, 255]]]);
  },
  meta: async (render) => {
    const exifOf = async (text: string): Promise<string> => {
      const header = await sharp((await render(text, 'signed')).bytes).metadata();
      assert.equal(header.orientation ?? 1, 1);
      return header.exif?.toString('latin1') ?? '';
    };
    for (const format of ['jpg', 'webp', 'png', 'avif']) {
      assert.equal(await exifOf(`w-50.${format}`), '');
      const rights = await exifOf(`w-50_meta-copyright.${format}`);
      assert.ok(
        rights.includes('Ansel') && rights.includes('2026 A') && !rights.includes('Camera 7'),
        format,
      );
      for (const text of [`w-50_meta-all.${format}`, `w-50_rot-45_meta-all.${format}`])
        assert.match(await exifOf(text), /Camera 7/, text);
    }
    assert.ok((await exifOf('w-50_meta-copyright_rot-90.jpg')).includes('Ansel'));
  },
};

function hasColour(picture: Picture, colour: Pixel): boolean {
  for (let y = 0; y < picture.height; y += 1)
    for (let x = 0; x < picture.width; x += 1) if (isNear(picture.at(x, y), colour, 30)) return true;
  return false;
}

/** How much the pixels differ: the standard deviation of red. */
function spread(picture: Picture): number {
  const values: number[] = [];
  for (let y = 0; y < picture.height; y += 1)
    for (let x = 0; x < picture.width; x += 1) values.push(picture.at(x, y)[0]);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
}

suite('tokens', () => {
  let scratch: Scratch;
  let pool: ImageWorkerPool;
  const sources: Record<string, string> = {};
  let rendered = 0;

  before(async () => {
    scratch = await scratchFolder();
    pool = createImageWorkerPool({
      size: 2,
      maxQueued: 500,
      wallTimeMs: 20_000,
      maxRssBytes: 1 << 30,
      idleMs: 5_000,
    });
    for (const [name, bytes] of Object.entries(await makeSources()))
      sources[name] = await scratch.save(name, bytes);
  });
  after(async () => {
    await pool.close();
    await scratch[Symbol.asyncDispose]();
  });

  const render: Render = async (text, source = 'quarters', { mark, mask, face } = {}) => {
    const outputPath = join(scratch.path, `variant-${(rendered += 1)}`);
    const result = await pool.render({
      ...(await renderTask(sources[source] as string, text)),
      ...(mark ? { markPath: sources[mark] as string } : {}),
      ...(mask ? { maskPath: sources[mask] as string } : {}),
      ...(face === undefined ? {} : { findings: { face } }),
      outputPath,
    });
    const bytes = (await readFile(outputPath)).subarray(0, result.size);
    const { data, info } = await sharp(bytes)
      .ensureAlpha()
      .toColourspace('srgb')
      .raw()
      .toBuffer({ resolveWithObject: true });
    return {
      width: info.width,
      height: info.height,
      pages: (await sharp(bytes).metadata()).pages ?? 1,
      bytes,
      at: (x, y) =>
        [...data.subarray((y * info.width + x) * 4, (y * info.width + x) * 4 + 4)] as unknown as Pixel,
    };
  };

  for (const name of tokenNames) {
    // Presets and versions change addresses, not pixels: test/api holds them.
    if (name === 'preset' || name === 'v') continue;
    test(name, () => cases[name](render));
  }

  test('an animation keeps its frames through every step', async () => {
    for (const text of [
      'w-20_h-20_r-5.webp',
      'rot-90_w-20.webp',
      'blur-2.webp',
      'pad-4_bg-000.gif',
      'w-10_h-20_g-auto.webp',
      'invert_bg-fff.webp',
      'border-2-red.gif',
    ]) {
      const picture = await render(text, 'moving');
      assert.equal(picture.pages, 4, text);
      const { delay, loop } = await sharp(picture.bytes).metadata();
      assert.deepEqual([delay, loop], [[100, 200, 300, 400], 2], text);
    }
  });
});

async function makeSources(): Promise<Record<string, Buffer>> {
  const plain = (width: number, height: number, background: string) =>
    sharp({ create: { width, height, channels: 3, background } });
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
  const busy = await sharp({ create: { width: 60, height: 80, channels: 3, background: 'grey', noise } })
    .png()
    .toBuffer();
  const spot = await plain(20, 20, 'rgb(220,40,40)').png().toBuffer();
  const signed = quarters(120, 80)
    .withMetadata({ orientation: 1 })
    .withExif({ IFD0: { Copyright: '2026 A', Artist: 'Ansel', Model: 'Camera 7' } });
  return {
    quarters: await quarters(120, 80).png().toBuffer(),
    alpha: await quarters(120, 80, { alpha: true }).png().toBuffer(),
    grey: await plain(40, 40, 'rgb(120,120,120)').png().toBuffer(),
    dull: await plain(40, 40, 'rgb(130,110,100)').png().toBuffer(),
    logo: await plain(30, 30, 'black').png().toBuffer(),
    spot: await plain(240, 80, 'rgb(120,120,120)')
      .composite([{ input: spot, left: 200, top: 30 }])
      .png()
      .toBuffer(),
    busy: await plain(160, 80, 'rgb(128,128,128)')
      .composite([{ input: busy, left: 100, top: 0 }])
      .png()
      .toBuffer(),
    framed: await plain(100, 80, 'white')
      .composite([
        { input: await plain(60, 20, 'rgb(220,40,40)').png().toBuffer(), left: 20, top: 20 },
        { input: await plain(60, 20, 'rgb(40,60,220)').png().toBuffer(), left: 20, top: 40 },
      ])
      .png()
      .toBuffer(),
    'left-half': await plain(60, 40, 'black')
      .composite([{ input: await plain(30, 40, 'white').png().toBuffer(), left: 0, top: 0 }])
      .greyscale()
      .png()
      .toBuffer(),
    moving: await (await animation(40, 30, 4)).gif({ delay: [100, 200, 300, 400], loop: 2 }).toBuffer(),
    signed: await signed.jpeg().toBuffer(),
  };
}
