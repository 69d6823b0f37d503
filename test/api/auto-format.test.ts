// The format `auto`: what each client gets, that no client ever gets what was meant for another, and that nobody waits for
// a large AVIF.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import sharp from 'sharp';
import { newAccount } from '../support/accounts.ts';
import { eventually } from '../support/eventually.ts';
import { picture } from '../support/pictures.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { animation, counter, get, long, plain, prepared } from '../support/variants.ts';

const both = 'image/avif,image/webp,image/apng,*/*;q=0.8';
let server: TestServer;
let opaque: string;
before(async () => {
  server = await startServer();
  opaque = (await server.upload(await picture(60, 40))).body.object_url;
});
after(() => server.stop());

async function typeOf(address: string, accept?: string): Promise<string | null> {
  const { status, headers } = await get(server, address, accept === undefined ? {} : { Accept: accept });
  assert.equal(status, 200, address);
  assert.equal(headers.get('vary'), 'Accept');
  return headers.get('content-type');
}

describe('what a client gets', () => {
  test('is the smallest format its Accept names outright', async () => {
    const cases: [accept: string, type: string][] = [
      [both, 'image/avif'],
      ['image/avif', 'image/avif'],
      ['IMAGE/AVIF , image/webp', 'image/avif'],
      ['image/webp,*/*', 'image/webp'],
      ['image/webp;q=0.1', 'image/webp'],
      ['image/avif;q=0,image/webp', 'image/webp'],
      ['image/avif;q=0.0,image/webp;q=0', 'image/jpeg'],
      ['image/*', 'image/jpeg'],
      ['*/*', 'image/jpeg'],
      ['', 'image/jpeg'],
      ['text/html', 'image/jpeg'],
      ['image/avif-sequence, image/webpx', 'image/jpeg'],
      [`${'a/b,'.repeat(500)}image/webp`, 'image/webp'],
    ];
    for (const [accept, type] of cases)
      for (const name of ['w-20', 'w-20.auto', 'original.auto'])
        assert.equal(await typeOf(opaque + name, accept), type, `${name} for ${accept.slice(-40)}`);
  });

  test('keeps transparency where there is any, also what a token made', async () => {
    const sheer = (await server.upload(await plain(20, 20, [200, 0, 0], 'png', 0.5))).body.object_url;
    const png = [
      `${sheer}w-9`,
      `${opaque}r-5`,
      `${opaque}pad-3`,
      `${opaque}rot-45`,
      `${opaque}border-2-ff000080`,
    ];
    for (const address of [...png, `${opaque}w-30_h-30_fit-contain`])
      assert.equal(await typeOf(address, '*/*'), 'image/png', address);
    const jpg = [`${sheer}w-9_bg-fff`, `${opaque}rot-90`, `${opaque}border-2-red`, `${opaque}pad-3_bg-red`];
    for (const address of jpg) assert.equal(await typeOf(address, '*/*'), 'image/jpeg', address);
  });

  test('moves if it moved: WebP where AVIF would stop it, unless only a still was asked for', async () => {
    const { object_url: url } = (
      await server.upload(
        await animation(20, 10, [
          [255, 0, 0],
          [0, 255, 0],
          [0, 0, 255],
        ]),
      )
    ).body;
    const { bytes, headers } = await get(server, `${url}w-10`, { Accept: both });
    assert.equal(headers.get('content-type'), 'image/webp');
    assert.equal((await sharp(bytes).metadata()).pages, 3);
    for (const still of ['w-10_anim-0', 'w-10_page-2', 'w-10_t-0.15'])
      assert.equal(await typeOf(url + still, both), 'image/avif', still);
  });
});

test('from memory or from disk, nobody gets what another client accepts', async () => {
  const accepts = { 'image/avif': both, 'image/webp': 'image/webp', 'image/jpeg': '*/*' };
  for (let round = 0; round < 4; round++) {
    await Promise.all(
      Object.entries(accepts).flatMap(([type, accept]) =>
        Array.from({ length: 4 }, async () => assert.equal(await typeOf(`${opaque}w-23`, accept), type)),
      ),
    );
  }
  const { headers } = await get(server, `${opaque}w-23`, { Accept: both });
  const other = await get(server, `${opaque}w-23`, {
    Accept: 'image/webp',
    'If-None-Match': headers.get('etag') as string,
  });
  assert.equal(other.status, 200, 'the tag of one format does not fit another');
});

describe('a large AVIF that is not there yet', () => {
  let account: { api_key: string };
  let url: string;
  before(async () => {
    account = await newAccount(server, { tier: 'free', variants_per_minute: 0.24 });
    const flat = await plain(1800, 1300, [90, 120, 60], 'jpeg');
    url = (await server.upload(flat, {}, { key: account.api_key })).body.object_url;
    await prepared(server);
  });

  test('is answered by WebP for a minute, and soon by itself, paid for once', async () => {
    const ask = () => get(server, `${url}w-1790`, { Accept: both });
    const first = await ask();
    assert.deepEqual(
      [first.status, first.headers.get('content-type'), first.headers.get('cache-control')],
      [200, 'image/webp', 'public, max-age=60'],
    );
    assert.equal(first.headers.get('vary'), 'Accept');
    const later = await eventually(async () => {
      const answer = await ask();
      assert.equal(answer.headers.get('content-type'), 'image/avif');
      return answer;
    }, 20_000);
    assert.equal(later.headers.get('cache-control'), long);
    const { width, height } = await sharp(later.bytes).metadata();
    assert.deepEqual([width, height], [1790, 1293]);
    const made = await counter(server, 'tintype_renderings');
    assert.equal((await get(server, `${url}w-1790.avif`)).status, 200);
    assert.equal(await counter(server, 'tintype_renderings'), made, 'it is the file of the plain address');
    // Half of a budget of four is one client's: one more fits after the one above, and no second.
    assert.deepEqual(
      [(await get(server, `${url}w-31.png`)).status, (await get(server, `${url}w-32.png`)).status],
      [200, 429],
    );
  });

  test('asked for by its own name, or of less than two megapixels, is made at once', async () => {
    const flat = await plain(1800, 1300, [90, 20, 60], 'jpeg');
    const { object_url: other } = (await server.upload(flat)).body;
    assert.equal(await typeOf(`${other}w-1500`, both), 'image/avif');
    const { headers } = await get(server, `${other}w-1780.avif`);
    assert.deepEqual([headers.get('content-type'), headers.get('vary')], ['image/avif', null]);
  });
});
