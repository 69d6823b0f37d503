import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { sendJson } from '../support/accounts.ts';
import { assertError } from '../support/assert-error.ts';
import { picture } from '../support/pictures.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let url: string;
before(async () => {
  server = await startServer();
  url = (await server.upload(await picture(80, 60), { object: 'photo' })).body.object_url;
});
after(() => server.stop());

const create = (transformation: string, headers: Record<string, string> = {}) =>
  server.json(`/create/photo/${transformation}`, { headers });

test('a variant is made, described, and served at the address given', async () => {
  const { status, body } = await create('w-40.webp');
  assert.equal(status, 200);
  const { size, ...rest } = body;
  assert.deepEqual(rest, {
    object_id: 'photo',
    object_url: url,
    status: 'success',
    url: `${url}w-40.webp`,
    width: 40,
    height: 30,
    type: 'image/webp',
    cached: false,
  });
  const answer = await server.call(body.url, { key: null });
  const bytes = Buffer.from(await answer.arrayBuffer());
  assert.equal(size, Math.round((bytes.length / 1024) * 100) / 100);
  const { width, height, format } = await sharp(bytes).metadata();
  assert.deepEqual([width, height, format], [40, 30, 'webp']);
});

test('asked again, in any spelling, it was there before', async () => {
  await create('h-20_w-20.png');
  for (const spelling of [
    'h-20_w-20.png',
    'w-20_h-20.png',
    'w-20_fit-cover_h-20_q-auto.png',
    'q-50_w-20_h-20.png',
  ]) {
    const { body } = await create(spelling);
    assert.deepEqual([body.cached, body.url], [true, `${url}h-20_w-20.png`], spelling);
  }
});

test('what was delivered before counts as there', async () => {
  await (await server.call(`${url}w-33.jpg`, { key: null })).arrayBuffer();
  assert.equal((await create('w-33.jpeg')).body.cached, true);
});

test('original is described without making anything', async () => {
  const { body } = await create('original');
  assert.deepEqual(
    [body.url, body.width, body.height, body.type, body.cached],
    [`${url}original`, 80, 60, 'image/jpeg', true],
  );
});

test('auto makes the format the caller accepts', async () => {
  const { body } = await create('w-21', { Accept: 'image/webp' });
  assert.deepEqual([body.type, body.url], ['image/webp', `${url}w-21.webp`]);
  assert.equal((await create('w-21.auto')).body.type, 'image/jpeg');
});

test('what is no transformation is 400 and says why', async () => {
  for (const wrong of [
    'w-0.webp',
    'w-8193.webp',
    'nope-5.webp',
    'w-5.bmp',
    'w-5_w-6.webp',
    '.webp',
    '%00',
    'w-5%2Fx.webp',
  ])
    assertError(await create(wrong), 400, { code: 'invalid_transformation' });
  assertError(await create('w-8192_h-8192.webp'), 400, { message: /megapixels/ });
});

test('an unknown object is 404, an address without a transformation too', async () => {
  assertError(await server.json('/create/nobody/w-5.webp'), 404, { message: 'Object not found' });
  for (const path of ['/create/', '/create/photo', '/create/photo/', '/create/photo/w-5.webp/more'])
    assertError(await server.json(path), 404);
});

test('under the policy "presets" what was created stays reachable, and nothing else is rendered', async () => {
  await create('w-12.webp');
  await server.json('/user/', sendJson('PATCH', { transform_policy: 'presets' }));
  const status = async (name: string) => (await server.call(url + name, { key: null })).status;
  assert.deepEqual(
    await Promise.all(['w-12.webp', 'original', 'original.png', 'h-200_w-200.webp', 'w-13.webp'].map(status)),
    [200, 200, 200, 200, 403],
  );
  await create('w-13.webp');
  assert.equal(await status('w-13.webp'), 200, 'creating is what allows it');
  await server.json('/user/', sendJson('PATCH', { transform_policy: 'open' }));
});
