// The format `json`: what is known of a picture, with the size it would have at this address.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { thumbHashToAverageRGBA, thumbHashToRGBA } from 'thumbhash';
import { newAccount } from '../support/accounts.ts';
import { assertError } from '../support/assert-error.ts';
import { eventually } from '../support/eventually.ts';
import { pngBomb, pngHeaderOnly } from '../support/hostile-images.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { animation, change, counter, get, isNear, plain, prepared } from '../support/variants.ts';

let server: TestServer;
let url: string;
let file: Buffer;
before(async () => {
  server = await startServer();
  file = await plain(120, 80, [200, 40, 30], 'jpeg');
  url = (await server.upload(file, { object: 'red' })).body.object_url;
});
after(() => server.stop());

async function facts(address: string): Promise<Record<string, any>> {
  const { status, headers, bytes } = await get(server, address);
  assert.equal(status, 200, `${address}: ${bytes.toString()}`);
  assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
  assert.equal(headers.get('content-length'), String(bytes.length));
  return JSON.parse(bytes.toString());
}

test('tells size, type, weight and looks, and nothing else', async () => {
  const { thumbhash, dominant_color: colour, ...rest } = await facts(`${url}original.json`);
  const size = Math.round((file.length / 1024) * 100) / 100;
  assert.deepEqual(rest, { width: 120, height: 80, type: 'image/jpeg', size });
  assert.match(colour, /^#[0-9a-f]{6}$/);
  assert.ok(isNear([...Buffer.from(colour.slice(1), 'hex')], [200, 40, 30], 24), colour);
  const hash = Buffer.from(thumbhash, 'base64');
  assert.ok(hash.length > 4 && hash.length <= 30, `${hash.length} bytes`);
  const likeness = thumbHashToRGBA(hash);
  assert.ok(likeness.w > likeness.h, 'it has the proportions of the picture');
  const { r, g, b, a } = thumbHashToAverageRGBA(hash);
  assert.ok(
    isNear([r * 255, g * 255, b * 255, a * 255], [200, 40, 30, 255], 24),
    JSON.stringify({ r, g, b, a }),
  );
});

test('with tokens it tells the size the picture would have', async () => {
  const sizes: [string, number, number][] = [
    ['w-60', 60, 40],
    ['w-50_h-50', 50, 50],
    ['w-50_h-50_fit-max', 50, 33],
    ['rot-90', 80, 120],
    ['crop-10-10-30-20_pad-5', 40, 30],
    ['w-100_dpr-2_border-3-red', 212, 145],
    ['ar-1-1', 80, 80],
    ['v-3', 120, 80],
  ];
  for (const [name, width, height] of sizes) {
    const told = await facts(`${url}${name}.json`);
    assert.deepEqual([told.width, told.height], [width, height], name);
  }
  // What is made of every new picture would be counted too.
  await prepared(server);
  const rendered = await counter(server, 'tintype_renderings');
  await facts(`${url}w-77.json`);
  assert.equal(await counter(server, 'tintype_renderings'), rendered, 'without making it');
  for (const wrong of ['w-8192_h-8192.json', 'w-0.json', 'crop-500-0-5-5.json', 'page-2.json'])
    assertError(await server.json(url + wrong, { key: null }), 400, { code: 'invalid_transformation' });
});

test('has an ETag of its bytes and answers 304', async () => {
  const first = await get(server, `${url}original.json`);
  const etag = first.headers.get('etag') as string;
  const again = await get(server, `${url}original.json`, { 'If-None-Match': etag });
  assert.deepEqual([again.status, again.bytes.length], [304, 0]);
  assert.notEqual((await get(server, `${url}w-9.json`)).headers.get('etag'), etag);
});

test('is also in GET /get/<id> once the picture was prepared, and the same', async () => {
  const told = await facts(`${url}original.json`);
  const stored = await eventually(async () => {
    const { body } = await server.json('/get/red');
    assert.ok(body.thumbhash);
    return body;
  });
  assert.deepEqual([stored.thumbhash, stored.dominant_color], [told.thumbhash, told.dominant_color]);
});

test('of pictures of any shape: animated, transparent, one pixel, very long', async () => {
  const files = {
    moving: await animation(20, 10, [
      [255, 0, 0],
      [0, 255, 0],
    ]),
    sheer: await plain(30, 30, [0, 0, 255], 'png', 0.3),
    dot: await plain(1, 1, [1, 2, 3]),
    long: await plain(6000, 1, [9, 9, 200]),
    high: await plain(1, 6000, [9, 200, 9]),
  };
  for (const [name, bytes] of Object.entries(files)) {
    const { body } = await server.upload(bytes, { object: name });
    const told = await facts(`${body.object_url}original.json`);
    assert.ok(told['thumbhash'], name);
    thumbHashToRGBA(Buffer.from(told['thumbhash'], 'base64'));
  }
});

test('of a picture larger than anything we would render it tells what is known', async () => {
  const { body } = await server.upload(pngBomb(9000, 7000), { object: 'huge' });
  const told = await facts(`${body.object_url}original.json`);
  assert.deepEqual([told['width'], told['height'], typeof told['thumbhash']], [9000, 7000, 'string']);
  assertError(await server.json(`${body.object_url}pad-1.json`, { key: null }), 400, {
    message: /megapixels/,
  });
});

test('of a picture that no decoder takes, looks are null and the rest is told', async () => {
  const { status, body } = await server.upload(pngHeaderOnly(30, 20), { object: 'empty' });
  assert.equal(status, 200, JSON.stringify(body));
  for (let time = 0; time < 2; time++) {
    const told = await facts(`${body.object_url}original.json`);
    assert.deepEqual(
      [told['width'], told['height'], told['thumbhash'], told['dominant_color']],
      [30, 20, null, null],
    );
    await prepared(server);
  }
  const { body: stored } = await server.json('/get/empty');
  assert.ok(!('thumbhash' in stored) || stored.thumbhash === null);
  assertError(await server.json(`${body.object_url}w-5.webp`, { key: null }), 422, { code: 'undecodable' });
});

test('asked for by many before anybody looked, it is found out once', async () => {
  await using idle = await startServer({}, { runJobs: false });
  const { body } = await idle.upload(file);
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => get(idle, `${body.object_url}w-${index + 1}.json`)),
  );
  assert.ok(answers.every(({ status }) => status === 200));
  assert.equal(await counter(idle, 'tintype_renderings'), 1);
});

test('where addresses must be signed, this one too; an id used again tells of its new picture', async () => {
  const { api_key: key } = await newAccount(server);
  const { body } = await server.upload(file, { object: 'mine' }, { key });
  await change(server, key, { transform_policy: 'signed' });
  for (const name of ['original.json', 'w-5.json', 'v-1.json'])
    assertError(await server.json(body.object_url + name, { key: null }), 403);
  await change(server, key, { transform_policy: 'open' });
  assert.equal((await facts(`${body.object_url}original.json`))['width'], 120);
  await server.json('/delete/mine', { method: 'DELETE', key });
  assertError(await server.json(`${body.object_url}original.json`, { key: null }), 404);
  await server.upload(await plain(33, 44, [0, 0, 255]), { object: 'mine' }, { key });
  const told = await facts(`${body.object_url}original.json`);
  assert.deepEqual([told['width'], told['height']], [33, 44]);
  assert.ok(isNear([...Buffer.from(told['dominant_color'].slice(1), 'hex')], [0, 0, 255], 24));
});
