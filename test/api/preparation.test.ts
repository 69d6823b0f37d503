// What is made of a new picture without anybody asking, and that the smaller copy of a large one changes nothing but time.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { assertError } from '../support/assert-error.ts';
import { eventually } from '../support/eventually.ts';
import { pngHeaderOnly } from '../support/hostile-images.ts';
import { picture } from '../support/pictures.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { counter, generationOf, get, prepared, variantFiles } from '../support/variants.ts';
import { fixture } from '../support/vision.ts';

let server: TestServer;
let without: TestServer;
before(async () => {
  [server, without] = await Promise.all([startServer(), startServer({ MEZZANINES: 'off' })]);
});
after(() => Promise.all([server.stop(), without.stop()]));

test('soon after the upload the thumbnail and original.webp are there, and are only sent', async () => {
  const { body } = await server.upload(await picture(300, 200), { object: 'fresh' });
  const generation = await generationOf(server, 'fresh');
  await eventually(async () => {
    assert.equal((await variantFiles(server, 'variants', generation)).length, 1, 'the thumbnail stays');
    assert.equal((await variantFiles(server, 'cache', generation)).length, 1, 'original.webp may be dropped');
  });
  await prepared(server);
  const rendered = await counter(server, 'tintype_renderings');
  for (const name of ['h-200_w-200.webp', 'w-200_h-200.webp', 'original.webp'])
    assert.equal((await get(server, body.object_url + name)).status, 200, name);
  assert.equal(await counter(server, 'tintype_renderings'), rendered);
});

test('what cannot be decoded is no trouble: the upload stays, and nothing is tried for ever', async () => {
  const { body } = await server.upload(pngHeaderOnly(40, 30));
  await prepared(server);
  assert.equal(await counter(server, 'tintype_jobs_dead'), 0);
  assert.equal((await get(server, body.original)).status, 200);
  assertError(await server.json(`${body.object_url}h-200_w-200.webp`, { key: null }), 422);
});

test('a picture deleted before it was prepared leaves nothing', async () => {
  const generations: string[] = [];
  for (let round = 0; round < 5; round++) {
    await server.upload(await picture(600, 600, 'png'), { object: 'brief' });
    generations.push(await generationOf(server, 'brief'));
    await server.json('/delete/brief', { method: 'DELETE' });
  }
  await eventually(async () => {
    await prepared(server);
    for (const generation of generations)
      for (const place of ['cache', 'variants'] as const)
        assert.deepEqual(await variantFiles(server, place, generation), []);
  });
});

test('rendered from the smaller copy, a picture has the same size and looks the same', async () => {
  const large = await sharp(fixture('coffee.jpg'))
    .resize({ width: 3200, height: 2400, fit: 'fill' })
    .jpeg({ quality: 95 })
    .toBuffer();
  const urls = await Promise.all(
    [server, without].map(async (each) => {
      const { body } = await each.upload(large, { object: 'large' });
      await prepared(each);
      return body.object_url as string;
    }),
  );
  const copies = (await variantFiles(server, 'cache')).filter((path) => path.endsWith('mezzanine.jpg'));
  assert.deepEqual(
    [
      copies.length,
      (await variantFiles(without, 'cache')).filter((path) => path.includes('mezzanine')).length,
    ],
    [1, 0],
  );
  for (const tokens of [
    'w-800',
    'w-801_h-333',
    'h-97',
    'w-300_h-600_fp-0.9-0.1',
    'crop-800-400-2000-1601_w-540',
    'crop-3-5-3190-2390_w-1',
    'rot-90_w-500',
    'rot-33_w-450',
    'flip-hv_w-400_h-100_g-bottom-right',
    'ar-1-1_w-255',
    'ar-9-16_h-700',
    'w-500_h-500_fit-contain_bg-red',
    'w-500_h-500_fit-fill',
    'w-640_blur-9',
    'w-300_dpr-2_pad-7_border-3-blue_r-40',
    'w-333_fit-max_sepia',
  ]) {
    const [from, direct] = await Promise.all([
      get(server, `${urls[0]}${tokens}.png`),
      get(without, `${urls[1]}${tokens}.png`),
    ]);
    assert.deepEqual([from.status, direct.status], [200, 200], tokens);
    await assertAlike(from.bytes, direct.bytes, tokens);
  }
});

async function assertAlike(left: Buffer, right: Buffer, what: string): Promise<void> {
  const [a, b] = await Promise.all(
    [left, right].map((bytes) => sharp(bytes).ensureAlpha().raw().toBuffer({ resolveWithObject: true })),
  );
  assert.ok(a && b);
  assert.deepEqual([a.info.width, a.info.height], [b.info.width, b.info.height], what);
  let sum = 0;
  for (let index = 0; index < a.data.length; index += 1)
    sum += Math.abs((a.data[index] as number) - (b.data[index] as number));
  assert.ok(sum / a.data.length < 1.5, `${what}: ${sum / a.data.length} levels apart`);
}
