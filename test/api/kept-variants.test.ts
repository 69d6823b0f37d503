// What /create keeps and for how long, with presets, watermarks and formats that Accept decides, and that changes to the
// account never cost a picture its variants.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { newAccount } from '../support/accounts.ts';
import { assertError } from '../support/assert-error.ts';
import { picture } from '../support/pictures.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { change, counter, generationOf, get, plain, prepared, variantFiles } from '../support/variants.ts';

let server: TestServer;
let key: string;
let url: string;
before(async () => {
  server = await startServer();
  key = (await newAccount(server)).api_key;
  url = (await server.upload(await picture(80, 60), { object: 'photo' }, { key })).body.object_url;
  await prepared(server);
});
after(() => server.stop());

const create = (name: string, accept?: string) =>
  server.json(`/create/photo/${name}`, { key, ...(accept ? { headers: { Accept: accept } } : {}) });

describe('/create', () => {
  test('takes presets, and gives the address of what they stand for', async () => {
    await change(server, key, { presets: { card: 'w-30_h-20_gray' } });
    const { status, body } = await create('preset-card.png');
    assert.deepEqual([status, body.url, body.width, body.height], [200, `${url}gray_h-20_w-30.png`, 30, 20]);
    assert.equal((await create('preset-card_w-10.png')).body.width, 10);
    assertError(await create('preset-nope.png'), 400, { message: /no preset "nope"/ });
    await change(server, key, { presets: null });
    assert.equal((await get(server, body.url)).status, 200, 'it stays when the preset goes');
  });

  test('takes watermarks, which must be pictures of the account', async () => {
    await server.upload(await plain(9, 9, [0, 200, 0]), { object: 'logo' }, { key });
    const { status, body } = await create('mark-logo_w-40.png');
    assert.deepEqual([status, body.url], [200, `${url}mark-logo_w-40.png`]);
    for (const id of ['nobody', 'vid-none']) assertError(await create(`mark-${id}.png`), 404);
    await server.json('/delete/logo', { method: 'DELETE', key });
    assertError(await server.json(body.url, { key: null }), 404);
    assertError(await create('mark-logo_w-40.png'), 404);
    await server.upload(await plain(9, 9, [0, 0, 200]), { object: 'logo' }, { key });
    assert.equal((await create('mark-logo_w-40.png')).body.cached, false, 'another mark is another file');
  });

  test('with auto makes what the caller’s own Accept would get, transparency included', async () => {
    const type = async (name: string, accept?: string) => (await create(name, accept)).body.type;
    assert.equal(await type('w-21', 'image/avif,image/webp'), 'image/avif');
    assert.equal(await type('w-21.auto', 'image/webp'), 'image/webp');
    assert.equal(await type('w-21.auto', '*/*'), 'image/jpeg');
    assert.equal(await type('w-21_r-max.auto', '*/*'), 'image/png');
    assert.equal(await type('rot-45', '*/*'), 'image/png');
  });

  test('has nothing to make for json', async () => {
    for (const name of ['original.json', 'w-5.json'])
      assertError(await create(name), 400, { message: /json/ });
  });

  test('moves what lay in the cache to where it stays, without rendering it again', async () => {
    const { body: other } = await server.upload(await picture(50, 50), { object: 'moved' }, { key });
    await prepared(server);
    const generation = await generationOf(server, 'moved');
    await get(server, `${other.object_url}w-17.png`);
    const [cache, kept] = [
      await variantFiles(server, 'cache', generation),
      await variantFiles(server, 'variants', generation),
    ];
    const rendered = await counter(server, 'tintype_renderings');
    assert.equal((await server.json('/create/moved/w-17.png', { key })).body.cached, true);
    assert.equal(await counter(server, 'tintype_renderings'), rendered);
    assert.equal((await variantFiles(server, 'cache', generation)).length, cache.length - 1);
    assert.equal((await variantFiles(server, 'variants', generation)).length, kept.length + 1);
  });

  test('keeps the newest 200 of an object; older ones go back to what may be dropped, and still work', async () => {
    const { body: other } = await server.upload(await plain(16, 16, [1, 2, 3]), { object: 'many' }, { key });
    await prepared(server);
    const generation = await generationOf(server, 'many');
    const before = (await variantFiles(server, 'variants', generation)).length;
    for (let from = 1; from <= 205; from += 41)
      await Promise.all(
        Array.from({ length: 41 }, (_, index) =>
          server.json(`/create/many/w-${from + index}_h-1.gif`, { key }),
        ),
      );
    assert.equal((await variantFiles(server, 'variants', generation)).length, before + 200);
    assert.ok((await variantFiles(server, 'cache', generation)).length >= 5);
    const rows = await server.app.core.database.read
      .selectFrom('kept_variants')
      .select('name')
      .where('generation', '=', generation)
      .execute();
    assert.equal(rows.length, 200);
    for (const width of [1, 2, 205])
      assert.equal((await get(server, `${other.object_url}h-1_w-${width}.gif`)).status, 200);
    await change(server, key, { transform_policy: 'presets' });
    const gone = Array.from({ length: 41 }, (_, index) => `w-${index + 1}_h-1.gif`).filter(
      (name) => !rows.some((row) => row.name === name.replace(/(w-\d+)_(h-1)/, '$2_$1')),
    );
    assert.equal(gone.length, 5);
    for (const name of gone) assertError(await server.json(other.object_url + name, { key: null }), 403);
    await change(server, key, { transform_policy: 'open' });
  });
});

test('a signature covers presets, watermarks, auto and tokens without a format', async () => {
  const { signing_secret: secret } = await change(server, key, {
    transform_policy: 'signed',
    presets: { card: 'w-5' },
  });
  await server.upload(await plain(9, 9, [0, 200, 0]), { object: 'sign' }, { key });
  const signed = (name: string) => {
    const exp = Math.floor(Date.now() / 1000) + 60;
    const path = new URL(url + name).pathname;
    const sig = createHmac('sha256', secret).update(`${path}?exp=${exp}`).digest('base64url');
    return `${url}${name}?exp=${exp}&sig=${sig}`;
  };
  for (const name of [
    'preset-card.webp',
    'preset-card',
    'w-13',
    'w-13.auto',
    'mark-sign_w-14.png',
    'gray',
    'original.json',
    'original.auto',
  ]) {
    assertError(await server.json(url + name, { key: null }), 403, { code: 'transformation_not_allowed' });
    assert.equal((await get(server, signed(name))).status, 200, name);
    assertError(await server.json(url + name, { key: null }), 403);
  }
  const { headers } = await get(server, signed('w-13'), { Accept: 'image/webp' });
  assert.equal(headers.get('content-type'), 'image/webp');
  assert.equal((await get(server, `${url}original.webp`)).status, 200);
  await change(server, key, { transform_policy: 'open', presets: null });
});

test('settings changed while pictures are rendered: every answer is whole, and nothing kept is lost', async () => {
  const { body: other } = await server.upload(await picture(900, 900, 'png'), { object: 'busy' }, { key });
  await prepared(server);
  const generation = await generationOf(server, 'busy');
  await server.json('/create/busy/w-5.png', { key });
  const kept = await variantFiles(server, 'variants', generation);
  const asked = Array.from({ length: 10 }, (_, index) =>
    get(server, `${other.object_url}w-${500 + index}.png`),
  );
  const facts = Array.from({ length: 5 }, (_, index) =>
    get(server, `${other.object_url}w-${500 + index}.json`),
  );
  for (let round = 0; round < 10; round++) await change(server, key, { presets: { [`p${round}`]: 'w-1' } });
  for (const { status, bytes } of await Promise.all([...asked, ...facts]))
    assert.equal(status, 200, bytes.toString().slice(0, 100));
  assert.deepEqual(await variantFiles(server, 'variants', generation), kept);
});
