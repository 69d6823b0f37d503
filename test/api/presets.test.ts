// Presets: tokens an account keeps under a name, so that addresses stay short and the account decides what is made.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import sharp from 'sharp';
import { newAccount, sendJson } from '../support/accounts.ts';
import { assertError } from '../support/assert-error.ts';
import { picture } from '../support/pictures.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { change, counter, get, long, prepared, short } from '../support/variants.ts';

let server: TestServer;
let key: string;
let url: string;
before(async () => {
  server = await startServer();
  key = (await newAccount(server)).api_key;
  url = (await server.upload(await picture(120, 80), {}, { key })).body.object_url;
  await prepared(server);
});
after(() => server.stop());

const fails = (name: string) => server.json(url + name, { key: null });
async function sizeOf(name: string): Promise<string> {
  const { status, bytes } = await get(server, url + name);
  assert.equal(status, 200, `${name}: ${bytes.toString().slice(0, 200)}`);
  const { width, height, format } = await sharp(bytes).metadata();
  return `${width}×${height} ${format}`;
}

describe('a preset', () => {
  test('stands for its tokens, in every format, and what stands beside it is stronger', async () => {
    await change(server, key, { presets: { card: 'w-60_h-60_gray' } });
    assert.equal(await sizeOf('preset-card.png'), '60×60 png');
    assert.equal(await sizeOf('preset-card.webp'), '60×60 webp');
    assert.equal(await sizeOf('preset-card'), '60×60 jpeg');
    assert.equal(await sizeOf('preset-card_w-30.png'), '30×60 png');
    assert.equal(await sizeOf('h-20_preset-card_w-30.png'), '30×20 png');
    const same = await Promise.all(
      ['preset-card.png', 'gray_h-60_w-60.png', 'preset-card_w-60.png', 'preset-card_v-9.png'].map(
        async (name) => (await get(server, url + name)).headers.get('etag'),
      ),
    );
    assert.equal(new Set(same).size, 1);
  });

  test('that was changed takes effect at once, also where the answer was in memory', async () => {
    await change(server, key, { presets: { hero: 'w-40' } });
    for (const size of [40, 50, 20]) {
      await change(server, key, { presets: { hero: `w-${size}_h-10` } });
      for (let time = 0; time < 3; time++) assert.equal(await sizeOf('preset-hero.png'), `${size}×10 png`);
    }
    await change(server, key, { presets: null });
    assertError(await fails('preset-hero.png'), 400, { message: /no preset "hero"/ });
  });

  test('has the short Cache-Control, since it may change; with v- the long one', async () => {
    await change(server, key, { presets: { card: 'w-60' } });
    const policy = async (name: string) => (await get(server, url + name)).headers.get('cache-control');
    assert.deepEqual(
      await Promise.all(
        ['preset-card.webp', 'preset-card_q-9.webp', 'preset-card.json', 'w-60.webp'].map(policy),
      ),
      [short, short, short, long],
    );
    assert.equal(await policy('preset-card_v-2.webp'), long);
  });

  test('may have dots and underscores in its name, written ~2e and ~5f', async () => {
    await change(server, key, { presets: { 'my_card.v2': 'w-33', 'a-b': 'w-34' } });
    assert.match(await sizeOf('preset-my~5fcard~2ev2.png'), /^33×/);
    assert.match(await sizeOf('preset-a-b.png'), /^34×/);
    for (const wrong of [
      'preset-my_card.v2.png',
      'preset-my~5Fcard~2ev2.png',
      'preset-my~card.png',
      'preset-.png',
      'preset.png',
    ])
      assertError(await fails(wrong), 400, { code: 'invalid_transformation' });
  });

  test('that does not exist is 400, also by the names every object has', async () => {
    await change(server, key, { presets: { card: 'w-60' } });
    for (const name of ['nope', 'constructor', 'toString', 'hasOwnProperty', 'Card'])
      assertError(await fails(`preset-${name}.webp`), 400, { message: new RegExp(`no preset "${name}"`) });
    assertError(await fails('preset-card_preset-card.webp'), 400, { message: /repeats preset/ });
  });
});

test('what cannot be a preset is refused when it is set, with its name and the token, and nothing changes', async () => {
  await change(server, key, { presets: { good: 'w-60' } });
  const wrong: [string, RegExp][] = [
    ['w-0', /"bad": Token "w-0" is out of range: w takes 1–8192/],
    ['nope-1', /"bad": Unknown token "nope-1"/],
    ['w-5.webp', /"bad"/],
    ['w-5_w-6', /"bad".*repeats w/],
    ['preset-good', /"bad".*another preset/],
    ['v-1', /"bad".*v/],
    ['original', /"bad"/],
    ['w-5__h-5', /"bad".*empty token/],
    [Array.from({ length: 17 }, (_, index) => `w-${index + 1}`).join('_'), /"bad".*16 tokens/],
    ['crop-1-2-3', /"bad".*crop-1-2-3/],
  ];
  for (const [tokens, message] of wrong) {
    const answer = await server.json('/user/', {
      ...sendJson('PATCH', { presets: { good: 'w-9', bad: tokens } }),
      key,
    });
    assertError(answer, 400, { message });
  }
  assert.deepEqual((await server.json('/user/', { key })).body.presets, { good: 'w-60' });
  assert.match(await sizeOf('preset-good.png'), /^60×/);
});

describe('the policy "presets"', () => {
  test('allows a preset alone, in any format and with v-, and nothing beside it', async () => {
    await change(server, key, { presets: { card: 'w-60_h-60' }, transform_policy: 'presets' });
    for (const name of [
      'preset-card.webp',
      'preset-card',
      'preset-card_v-3.png',
      'preset-card.json',
      'original.json',
      'original.avif',
      'h-200_w-200.webp',
      'v-1.webp',
    ])
      assert.equal((await get(server, url + name)).status, 200, name);
    const refused = { code: 'transformation_not_allowed' };
    for (const name of [
      'preset-card_w-60.webp',
      'preset-card_q-50.webp',
      'preset-card_gray',
      'w-60_h-60.webp',
      'w-60_h-60',
      'w-60.json',
      'gray.auto',
    ])
      assertError(await fails(name), 403, refused);
    await change(server, key, { transform_policy: 'open' });
  });

  test('knows no preset of another account', async () => {
    const other = await newAccount(server);
    await change(server, other.api_key, { presets: { theirs: 'w-7' }, transform_policy: 'presets' });
    assertError(await fails('preset-theirs.webp'), 400, { message: /no preset "theirs" in this account/ });
    const { body } = await server.upload(await picture(9, 9), {}, { key: other.api_key });
    assert.equal((await get(server, `${body.object_url}preset-theirs.webp`)).status, 200);
    assertError(await server.json(`${body.object_url}preset-card.webp`, { key: null }), 400);
  });
});

describe('v-', () => {
  test('makes an address of its own that never changes, also of a custom id, from the same file', async () => {
    const { body } = await server.upload(await picture(70, 50), { object: 'chosen' }, { key });
    await prepared(server);
    const without = await get(server, `${body.object_url}w-31.webp`);
    assert.equal(without.headers.get('cache-control'), short);
    const rendered = await counter(server, 'tintype_renderings');
    for (const name of [
      'w-31_v-1.webp',
      'v-2_w-31.webp',
      'w-31_v-a~2eb~5fc~7e.webp',
      `w-31_v-${'x'.repeat(100)}.webp`,
    ]) {
      const versioned = await get(server, body.object_url + name);
      assert.equal(versioned.status, 200, name);
      assert.equal(versioned.headers.get('cache-control'), long);
      assert.equal(versioned.headers.get('etag'), without.headers.get('etag'));
      assert.deepEqual(versioned.bytes, without.bytes);
    }
    assert.equal(await counter(server, 'tintype_renderings'), rendered, 'nothing was rendered again');
    assert.equal((await get(server, `${body.object_url}v-1.json`)).headers.get('cache-control'), long);
  });
});
