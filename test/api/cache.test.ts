// The cache of variants while the service runs: it stays small, can be lost at any moment, and never shows what is gone.
import assert from 'node:assert/strict';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { assertError } from '../support/assert-error.ts';
import { eventually } from '../support/eventually.ts';
import { picture } from '../support/pictures.ts';
import { operatorKey, startServer } from '../support/server.ts';
import {
  change,
  counter,
  generationOf,
  get,
  isNear,
  pixel,
  plain,
  prepared,
  variantFiles,
} from '../support/variants.ts';

test('over its limit the variants used longest ago go from disk, those that are kept never', async () => {
  const limit = 60_000;
  await using server = await startServer({ CACHE_MAX_BYTES: String(limit), MEMORY_CACHE_MB: '0' });
  const { object_url: url } = (await server.upload(await picture(200, 200), { object: 'photo' })).body;
  await prepared(server);
  await change(server, operatorKey, { presets: { card: 'w-55' } });
  await server.json('/create/photo/w-50.png');
  await get(server, `${url}preset-card.png`);
  const kept = await variantFiles(server, 'variants');
  assert.equal(kept.length, 3, 'thumbnail, created and preset');
  const names = Array.from({ length: 12 }, (_, index) => `w-${80 + index}.png`);
  for (const name of names) assert.equal((await get(server, url + name)).status, 200, name);
  assert.ok((await counter(server, 'tintype_cache_bytes')) > limit, 'the test makes enough');
  await eventually(async () => assert.ok((await counter(server, 'tintype_cache_bytes')) <= limit), 10_000);
  assert.deepEqual(await variantFiles(server, 'variants'), kept);
  const rendered = await counter(server, 'tintype_renderings');
  for (const name of ['preset-card.png', 'w-50.png', 'h-200_w-200.webp']) await get(server, url + name);
  assert.equal(await counter(server, 'tintype_renderings'), rendered, 'what is kept is there');
  assert.equal((await get(server, `${url}w-80.png`)).status, 200);
  const isShared = server.app.core.sharing.stores.has('files');
  const again = await counter(server, 'tintype_renderings');
  assert.equal(
    again,
    rendered + (isShared ? 0 : 1),
    'what was dropped is made again, unless all nodes share it',
  );
});

test('without any room for it everything still works', async () => {
  await using server = await startServer({ CACHE_MAX_BYTES: '0', MEMORY_CACHE_MB: '0' });
  const { object_url: url } = (await server.upload(await picture(90, 90))).body;
  for (let round = 0; round < 4; round++) {
    const asked = Array.from({ length: 12 }, (_, index) => get(server, `${url}w-${10 + index}.webp`));
    for (const { status } of await Promise.all(asked)) assert.equal(status, 200);
    await pause(150);
  }
});

test('the whole folder deleted while the service runs harms nobody', async () => {
  await using server = await startServer({ MEMORY_CACHE_MB: '0' });
  const { object_url: url } = (await server.upload(await plain(3000, 1200, [9, 99, 9], 'jpeg'))).body;
  await prepared(server);
  // While folders are made, while pictures are rendered, and when they are there.
  for (const afterMs of [0, 1, 2, 3, 4, 5, 7, 10, 40, 80, 120]) {
    const asked = Array.from({ length: 6 }, (_, index) => get(server, `${url}w-${100 + index}.webp`));
    await pause(afterMs);
    await eventually(() => rename(join(server.dataDir, 'cache'), join(server.dataDir, `gone-${afterMs}`)));
    for (const { status, bytes } of await Promise.all(asked))
      assert.equal(status, 200, bytes.toString().slice(0, 100));
  }
  for (const name of ['w-100.webp', 'w-300.webp', 'original.json', 'h-200_w-200.webp'])
    assert.equal((await get(server, url + name)).status, 200, name);
});

test('the copy a variant would be made from may go at any time', async () => {
  await using server = await startServer();
  const { object_url: url } = (await server.upload(await plain(3000, 1200, [9, 99, 9], 'jpeg'))).body;
  await prepared(server);
  const copy = (await variantFiles(server, 'cache')).find((path) => path.endsWith('mezzanine.jpg'));
  assert.ok(copy);
  await rm(copy);
  assert.equal((await get(server, `${url}w-200.webp`)).status, 200);
});

test('with its object everything goes, from both folders, and an id used again shows nothing old', async () => {
  await using server = await startServer();
  await change(server, operatorKey, { presets: { card: 'w-20_h-20' } });
  const names = ['w-10.png', 'preset-card.png', 'original.png', 'h-200_w-200.webp', 'w-10', 'w-10_v-1.png'];
  const lives = [
    [220, 20, 20],
    [20, 220, 20],
    [20, 20, 220],
  ] as const;
  for (const colour of lives) {
    const { body } = await server.upload(await plain(40, 40, [...colour]), { object: 'phoenix' });
    const generation = await generationOf(server, 'phoenix');
    await server.json('/create/phoenix/w-11.png');
    for (let time = 0; time < 2; time++)
      for (const name of [...names, 'w-11.png']) {
        const { status, bytes } = await get(server, body.object_url + name);
        assert.equal(status, 200, name);
        assert.ok(isNear(await pixel(bytes, 5, 5), colour, 30), `${name} of ${colour.join()}`);
      }
    await prepared(server);
    assert.ok((await variantFiles(server, 'variants', generation)).length >= 3);
    await server.json('/delete/phoenix', { method: 'DELETE' });
    for (const name of names) assertError(await server.json(body.object_url + name, { key: null }), 404);
    await eventually(async () => {
      for (const place of ['variants', 'cache'] as const)
        assert.deepEqual(await variantFiles(server, place, generation), []);
    });
  }
});
