// Moving pictures at the public addresses: which of their frames are shown, and when they stop.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { assertError } from '../support/assert-error.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { animation, counter, get, isNear, pixel, plain, prepared, type Rgb } from '../support/variants.ts';

const colours: Rgb[] = [
  [250, 0, 0],
  [0, 250, 0],
  [0, 0, 250],
];
let server: TestServer;
let url: string;
before(async () => {
  server = await startServer();
  url = (await server.upload(await animation(30, 20, colours))).body.object_url;
  await prepared(server);
});
after(() => server.stop());

async function shows(name: string, colour: Rgb | undefined): Promise<void> {
  const { status, bytes } = await get(server, url + name);
  assert.equal(status, 200, `${name}: ${bytes.toString().slice(0, 200)}`);
  assert.equal((await sharp(bytes).metadata()).pages ?? 1, 1, name);
  const actual = await pixel(bytes, 3, 3);
  assert.ok(colour && isNear(actual, colour, 40), `${name}: ${actual.join()}`);
}

test('page-n is that frame, t- the frame of that moment, anim-0 the first', async () => {
  for (const format of ['png', 'webp', 'gif', 'jpg'])
    for (const [index, colour] of colours.entries()) {
      await shows(`page-${index + 1}_w-10.${format}`, colour);
      await shows(`t-${(index * 0.1 + 0.05).toFixed(2)}_w-10.${format}`, colour);
    }
  await shows('anim-0.webp', colours[0]);
  await shows('t-0.webp', colours[0]);
  await shows('t-86400.webp', colours[2]);
  await shows('original.png', colours[0]);
});

test('one still asked for in several ways is one file', async () => {
  await get(server, `${url}anim-0_w-12.webp`);
  const rendered = await counter(server, 'tintype_renderings');
  for (const name of ['page-1_w-12.webp', 'w-12_anim-0_page-1.webp', 'page-1_w-12_v-1.webp'])
    assert.equal((await get(server, url + name)).status, 200, name);
  assert.equal(await counter(server, 'tintype_renderings'), rendered);
});

test('frames that are not there are 400 and say how many there are; a still has one', async () => {
  assertError(await server.json(`${url}page-4.webp`, { key: null }), 400, { message: /3 frames/ });
  for (const wrong of [
    'page-0.webp',
    'page-10001.webp',
    't-n1.webp',
    't-86401.webp',
    'anim-2.webp',
    'page-1.5.webp',
  ])
    assertError(await server.json(url + wrong, { key: null }), 400, { code: 'invalid_transformation' });
  const { body } = await server.upload(await plain(9, 9, [1, 2, 3]));
  assertError(await server.json(`${body.object_url}page-2.webp`, { key: null }), 400, {
    message: /1 frame$/,
  });
  for (const name of ['page-1.webp', 't-5.webp', 'anim-0.webp', 'anim-1.webp'])
    assert.equal((await get(server, body.object_url + name)).status, 200, name);
});

test('every frame is worked on, and the animation keeps its time', async () => {
  for (const name of [
    'w-12_h-12',
    'rot-90',
    'r-4',
    'border-2-white',
    'blur-40',
    'blur-2',
    'pad-2',
    'trim-10',
    'flip-h',
    'w-9_h-15_g-auto',
  ])
    for (const format of ['gif', 'webp']) {
      const { status, bytes } = await get(server, `${url}${name}.${format}`);
      assert.equal(status, 200, `${name}: ${bytes.toString().slice(0, 200)}`);
      const { pages, delay } = await sharp(bytes).metadata();
      assert.deepEqual([pages, delay], [3, [100, 100, 100]], `${name}.${format}`);
    }
});

test('frames times pixels are limited: 400 before anything is decoded', async () => {
  const { body } = await server.upload(await animation(10, 10, Array<Rgb>(60).fill([9, 9, 9])));
  for (const name of ['w-1000.webp', 'w-1000.gif', 'w-5_h-8192_dpr-5.gif']) {
    const answer = await server.json(body.object_url + name, { key: null });
    assertError(answer, 400, { message: /60 frames; the most is 50 megapixels/ });
  }
  assert.equal((await get(server, `${body.object_url}w-1000.png`)).status, 200, 'one frame fits');
});
