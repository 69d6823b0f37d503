// How many new variants may be made of an account's pictures: what costs, what does not, who pays, and how a refusal looks.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newAccount, type TestAccount } from '../support/accounts.ts';
import { assertError } from '../support/assert-error.ts';
import { picture } from '../support/pictures.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { change, get, prepared } from '../support/variants.ts';

/** With the proportions of the free tier this is a burst of six, and no refill while a test runs. */
const sixAtOnce = { tier: 'free', variants_per_minute: 0.36 };
let server: TestServer;
let proxied: TestServer;
let file: Buffer;
before(async () => {
  [server, proxied, file] = await Promise.all([
    startServer(),
    startServer({ TRUST_PROXY: '1' }),
    picture(60, 40),
  ]);
});
after(() => Promise.all([server.stop(), proxied.stop()]));

async function newObject(
  on: TestServer,
  terms: Record<string, unknown> = sixAtOnce,
): Promise<{ account: TestAccount; url: string }> {
  const account = await newAccount(on, terms);
  const { body } = await on.upload(file, { object: 'photo' }, { key: account.api_key });
  await prepared(on);
  return { account, url: body.object_url };
}

/** How many of so many new variants are made before the first refusal. */
async function made(
  on: TestServer,
  url: string,
  from: number,
  headers: Record<string, string> = {},
): Promise<number> {
  for (let count = 0; count < 20; count++) {
    const { status } = await get(on, `${url}w-${from + count}.png`, headers);
    if (status === 429) return count;
    assert.equal(status, 200);
  }
  return 20;
}

describe('the budget', () => {
  test('of a client is half; then 429 at once, with when to come again', async () => {
    const { url } = await newObject(server);
    assert.equal(await made(server, url, 10), 3);
    const times: number[] = [];
    for (let time = 0; time < 10; time++) {
      const startedMs = performance.now();
      const answer = await server.json(`${url}w-${50 + time}.png`, { key: null });
      times.push(performance.now() - startedMs);
      assertError(answer, 429, { message: 'Rate limit exceeded', code: 'rate_limited' });
      assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
      assert.match(answer.headers.get('ratelimit') ?? '', /^"variants";r=0;t=[1-9]\d*$/);
      assert.match(answer.headers.get('ratelimit-policy') ?? '', /^"variants";q=\d+;w=60$/);
      assert.equal(answer.headers.get('cache-control'), 'no-store');
      assert.equal(answer.headers.get('access-control-allow-origin'), '*');
    }
    const middle = times.toSorted((a, b) => a - b)[5] as number;
    assert.ok(middle <= 20, `${middle} ms`);
  });

  test('is not needed for what is there, made anyway, preset, told or created', async () => {
    const { account, url } = await newObject(server);
    const key = account.api_key;
    await change(server, key, { presets: { card: 'w-44', tile: 'w-45_h-45' } });
    await made(server, url, 10);
    const free = [
      'w-10.png',
      'w-11_v-3.png',
      'h-200_w-200.webp',
      'original.webp',
      'original',
      'original.json',
      'w-9.json',
    ];
    for (const name of [...free, 'preset-card.png', 'preset-tile.avif', 'preset-card'])
      assert.equal((await get(server, url + name)).status, 200, name);
    assertError(await server.json(`${url}preset-card_w-5.png`, { key: null }), 429);
    assert.equal((await server.json('/create/photo/w-77.png', { key })).status, 200);
    assert.equal((await get(server, `${url}w-77.png`)).status, 200);
  });

  test('is not spent on what is refused, or by those who wait for the same', async () => {
    const { url } = await newObject(server);
    for (const wrong of [
      'w-0.png',
      'nope.png',
      'w-8192_h-8192.png',
      'page-9.png',
      'preset-x.png',
      'mark-none.png',
      'crop-900-0-1-1.png',
    ])
      assert.ok([400, 404].includes((await get(server, url + wrong)).status), wrong);
    const many = await Promise.all(Array.from({ length: 15 }, () => get(server, `${url}w-33.png`)));
    assert.ok(many.every(({ status }) => status === 200));
    assert.equal(await made(server, url, 10), 2);
  });

  test('is shared by all objects of the account, and by no other account', async () => {
    const { account, url } = await newObject(server);
    const { body } = await server.upload(file, { object: 'second' }, { key: account.api_key });
    await prepared(server);
    assert.equal(await made(server, url, 10), 3);
    assert.equal(await made(server, body.object_url, 10), 0);
    assert.equal(await made(server, (await newObject(server)).url, 10), 3);
    assert.equal(await made(server, (await newObject(server, { tier: 'enterprise' })).url, 10), 20);
  });

  test('of nothing allows nothing new', async () => {
    const { url } = await newObject(server, { tier: 'free', variants_per_minute: 0 });
    assert.equal(await made(server, url, 10), 0);
    assert.equal((await get(server, `${url}original.webp`)).status, 200);
  });

  test('refills, and raised by the operator it counts at once', async () => {
    const { account, url } = await newObject(server, { tier: 'free', variants_per_minute: 120 });
    const asked = await Promise.all(
      Array.from({ length: 40 }, (_, index) => get(server, `${url}w-${index + 10}.png`)),
    );
    assert.ok(
      asked.every(({ status }) => status === 200),
      'a burst of two thousand is larger than this',
    );
    const patch = (perMinute: number) =>
      server.json(`/accounts/${account.account_id}`, {
        method: 'PATCH',
        body: JSON.stringify({ variants_per_minute: perMinute }),
        headers: { 'Content-Type': 'application/json' },
      });
    await patch(0);
    assert.equal(await made(server, url, 100), 0);
    await patch(6000);
    await new Promise((resolve) => setTimeout(resolve, 100));
    assert.ok((await made(server, url, 100)) > 0);
  });
});

describe('clients', () => {
  const from = (address: string) => ({ 'X-Forwarded-For': address });

  test('behind a proxy are told apart by what the proxy wrote last, and together they have the whole budget', async () => {
    const { url } = await newObject(proxied);
    assert.equal(await made(proxied, url, 10, from('203.0.113.1')), 3);
    assert.equal(
      await made(proxied, url, 20, from('198.51.100.9, 203.0.113.1')),
      0,
      'what stands before is a claim',
    );
    assert.equal(await made(proxied, url, 30, from('203.0.113.2')), 3);
    assert.equal(await made(proxied, url, 40, from('203.0.113.3')), 0, 'nothing is left for anybody');
  });

  test('of one IPv6 network are one', async () => {
    const { url } = await newObject(proxied);
    assert.equal(await made(proxied, url, 10, from('2001:db8:1:2::1')), 3);
    assert.equal(await made(proxied, url, 20, from('2001:db8:1:2:ffff::9')), 0);
    assert.equal(await made(proxied, url, 30, from('2001:db8:1:3::1')), 3);
  });

  test('cannot make themselves many without a proxy, nor with nonsense behind one', async () => {
    const { url } = await newObject(server);
    let count = 0;
    for (let index = 0; index < 10; index++)
      if ((await get(server, `${url}w-${10 + index}.png`, from(`203.0.113.${index}`))).status === 200)
        count += 1;
    assert.equal(count, 3);
    const { url: behind } = await newObject(proxied);
    let nonsense = 0;
    for (let index = 0; index < 10; index++) {
      const { status } = await get(proxied, `${behind}w-${10 + index}.png`, from(`nobody-${index}`));
      if (status === 200) nonsense += 1;
    }
    assert.equal(nonsense, 3);
  });
});
