import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newAccount } from '../support/accounts.ts';
import { assertError } from '../support/assert-error.ts';
import { eventually } from '../support/eventually.ts';
import { picture } from '../support/pictures.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
/** Addresses of all objects, newest first. */
const all: string[] = [];

before(async () => {
  server = await startServer();
  const file = await picture(6, 6);
  for (let number = 1; number <= 25; number++) {
    const tags = ['all', number % 2 === 0 ? 'even' : 'odd', ...(number % 5 === 0 ? ['five', 'Five'] : [])];
    const { body } = await server.upload(file, {
      object: `o${number}`,
      tags: tags.join(','),
      ...(number <= 3 ? { folder: 'trips/2026' } : {}),
    });
    all.unshift(body.object_url);
  }
});
after(() => server.stop());

const pick = (matches: (number: number) => boolean) => all.filter((_, index) => matches(25 - index));
const list = (query: string) => server.json(`/get/${query}`);

test('a listing has exactly its five fields, newest first, ten to a page, index-aligned', async () => {
  const { status, body, headers } = await list('');
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(body).sort(), ['objects', 'page', 'page_size', 'thumbnails', 'urls']);
  assert.deepEqual([body.page, body.page_size], [1, 10]);
  assert.deepEqual(body.objects, all.slice(0, 10));
  assert.deepEqual(
    body.urls,
    body.objects.map((url: string) => `${url}original.webp`),
  );
  assert.deepEqual(
    body.thumbnails,
    body.objects.map((url: string) => `${url}h-200_w-200.webp`),
  );
  assert.equal(headers.get('x-total-count'), '25');
  const thumbnail = await server.call(body.thumbnails[0], { key: null });
  assert.deepEqual([thumbnail.status, thumbnail.headers.get('content-type')], [200, 'image/webp']);
});

test('pages follow each other without gap or repeat; the last is short, those after it are empty', async () => {
  const pages = await Promise.all([1, 2, 3, 4, 1_000_000].map((page) => list(`?page=${page}`)));
  assert.deepEqual(
    pages.map(({ body }) => body.objects.length),
    [10, 10, 5, 0, 0],
  );
  assert.deepEqual(
    pages.flatMap(({ body }) => body.objects),
    all,
  );
  assert.deepEqual(
    pages.map(({ body }) => body.page),
    [1, 2, 3, 4, 1_000_000],
  );
});

test('page_size goes from 1 to 100', async () => {
  assert.deepEqual((await list('?page_size=1&page=25')).body.objects, all.slice(24));
  const { body } = await list('?page_size=100');
  assert.deepEqual([body.page_size, body.objects], [100, all]);
});

for (const [name, values] of Object.entries({
  page: ['0', '-1', '1.5', 'x', '', 'NaN', 'Infinity', '1e400', 'null', '1&page=2', '0x', '1;drop'],
  page_size: ['0', '101', '-1', '2.5', 'ten', '', '1000000', '10&page_size=20'],
})) {
  for (const value of values) {
    test(`${name}=${value} is 400 and says what is allowed`, async () => {
      assertError(await list(`?${name}=${value}`), 400, { message: new RegExp(`"${name}" must be`) });
    });
  }
}

test('the Link header leads through all pages, keeping every filter', async () => {
  for (const start of [
    '/get/?page_size=4',
    '/get/?page_size=4&cursor=',
    '/get/?page_size=2&tags=all&tags=even&type=image',
    '/get/?page_size=3&tags=even&cursor=',
    '/get/tags?tags=five&page_size=1',
    '/get/?folder=%2Ftrips%2F2026%2F&page_size=1&view=full',
    '/v1/get/?page_size=10',
  ]) {
    const found: string[] = [];
    let next: string | undefined = start;
    let pages = 0;
    while (next !== undefined && pages < 30) {
      const { status, body, headers } = await server.json(next);
      assert.equal(status, 200);
      found.push(...body.objects);
      const [, target] = /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '') ?? [];
      next =
        target === undefined ? undefined : new URL(target, server.url + next).href.slice(server.url.length);
      pages += 1;
    }
    const { pathname, searchParams } = new URL(start, server.url);
    searchParams.delete('cursor');
    searchParams.set('page_size', '100');
    const { body: whole } = await server.json(`${pathname}?${searchParams.toString()}`);
    assert.deepEqual(found, whole.objects, start);
    assert.ok(pages > 1, start);
  }
});

test('a walk by cursor neither skips nor repeats what was there, while newer objects come and others go', async () => {
  const { api_key: key } = await newAccount(server);
  const file = await picture(6, 6);
  for (let number = 1; number <= 6; number++) await server.upload(file, { object: `w${number}` }, { key });
  const first = await server.json('/get/?cursor=&page_size=2', { key });
  await server.upload(file, { object: 'w7' }, { key });
  await server.json('/delete/w5', { method: 'DELETE', key });
  const [, target = ''] = /^<([^>]+)>/.exec(first.headers.get('link') ?? '') ?? [];
  const second = await server.json(target, { key });
  const ids = (body: { objects: string[] }) => body.objects.map((url) => url.split('/').at(-2));
  assert.deepEqual(
    [ids(first.body), ids(second.body)],
    [
      ['w6', 'w5'],
      ['w4', 'w3'],
    ],
  );
});

test('a cursor that is none of ours is 400', async () => {
  for (const cursor of ['x', 'LTE', '%00', 'MTIzNDU2Nzg5MDEyMzQ1Njc4OTA', 'MQ&cursor=Mg'])
    assertError(await list(`?cursor=${cursor}`), 400, { message: /"cursor"/ });
});

test('tags may be repeated or separated by commas; an object must carry all of them, exactly', async () => {
  const odd = pick((number) => number % 2 === 1);
  assert.deepEqual((await list('?tags=odd&page_size=100')).body.objects, odd);
  const oddFive = pick((number) => number % 10 === 5);
  for (const query of ['?tags=odd&tags=five', '?tags=odd,five', '?tags=five,,%20odd%20&tags=odd'])
    assert.deepEqual((await list(query)).body.objects, oddFive, query);
  for (const query of ['?tags=odd,even', '?tags=ODD', '?tags=od', '?tags=nobody', '?tags=all,nobody']) {
    const { body, headers } = await list(query);
    assert.deepEqual([body.objects, body.urls, body.thumbnails], [[], [], []], query);
    assert.equal(headers.get('x-total-count'), '0');
  }
  assert.deepEqual((await list('?tags=')).body.objects, all.slice(0, 10), 'an empty filter is none');
});

test('an object can be found by all of its hundred tags together', async () => {
  const { api_key: key } = await newAccount(server);
  const tags = Array.from({ length: 100 }, (_, index) => `tag ${index}`);
  const { body: stored } = await server.upload(await picture(6, 6), { tags: tags.join(',') }, { key });
  await server.upload(await picture(6, 6), { tags: tags.slice(1).join(',') }, { key });
  const query = new URLSearchParams(tags.map((tag): [string, string] => ['tags', tag]));
  const { status, body } = await server.json(`/get/?${query.toString()}`, { key });
  assert.deepEqual([status, body.objects], [200, [stored.object_url]]);
  query.append('tags', 'one more');
  assertError(await server.json(`/get/?${query.toString()}`, { key }), 400, { message: /100 tags/ });
});

test('folder and type filter too, alone and together', async () => {
  const inFolder = pick((number) => number <= 3);
  for (const query of [
    '?folder=trips/2026',
    '?folder=/trips/2026/',
    '?folder=trips/2026&type=image&tags=all',
  ])
    assert.deepEqual((await list(query)).body.objects, inFolder, query);
  for (const query of ['?folder=trips', '?folder=Trips/2026', '?type=video', '?folder=trips/2026&type=video'])
    assert.deepEqual((await list(query)).body.objects, [], query);
  assertError(await list('?folder=../x'), 400);
  assertError(await list('?type=audio'), 400, {
    message: 'Query parameter "type" must be "image" or "video"',
  });
  assertError(await list('?view=everything'), 400, { message: /"view"/ });
});

test('view=full adds the full objects, index-aligned', async () => {
  // What a picture looks like is found out soon after its upload.
  await eventually(async () => {
    const { body } = await list('?view=full&page_size=2&tags=five');
    assert.deepEqual(
      body.items.map((item: { object_url: string }) => item.object_url),
      body.objects,
    );
    const { body: one } = await server.json('/get/o25');
    assert.deepEqual(body.items[0], one);
  });
});

test('/get/tags is the same listing and needs a tag', async () => {
  const { status, body } = await server.json('/get/tags?tags=five&tags=even&page_size=1&page=2');
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(body).sort(), ['objects', 'page', 'page_size', 'thumbnails', 'urls']);
  assert.deepEqual([body.page, body.page_size, body.objects], [2, 1, pick((number) => number === 10)]);
  for (const query of ['', '?tags=', '?tags=,%20,', '?page=1', '?tag=five'])
    assertError(await server.json(`/get/tags${query}`), 400, {
      message: 'Query parameter "tags" is required',
    });
  assertError(await server.json('/get/tags?tags=five&page_size=0'), 400, { message: /page_size/ });
});

test('/tags/ and /folders/ name what there is, with counts', async () => {
  assert.deepEqual((await server.json('/tags/')).body, {
    tags: [
      { name: 'Five', count: 5 },
      { name: 'all', count: 25 },
      { name: 'even', count: 12 },
      { name: 'five', count: 5 },
      { name: 'odd', count: 13 },
    ],
  });
  assert.deepEqual((await server.json('/folders/')).body, { folders: [{ name: 'trips/2026', count: 3 }] });
});

test('one account never sees another’s objects, tags or folders', async () => {
  const { api_key: key } = await newAccount(server);
  for (const path of ['/get/', '/get/tags?tags=all', '/get/?folder=trips/2026&view=full']) {
    const { body } = await server.json(path, { key });
    assert.deepEqual(body.objects, []);
  }
  assert.deepEqual((await server.json('/tags/', { key })).body, { tags: [] });
  assert.deepEqual((await server.json('/folders/', { key })).body, { folders: [] });
});
