// Watermarks: another picture of the bucket laid over, which goes from every address when it goes itself.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { newAccount } from '../support/accounts.ts';
import { assertError } from '../support/assert-error.ts';
import { operatorKey, startServer, type TestServer } from '../support/server.ts';
import { animation, change, get, isNear, long, pixel, plain, type Rgb, short } from '../support/variants.ts';

const [red, green, blue]: Rgb[] = [
  [220, 0, 0],
  [0, 200, 0],
  [0, 0, 220],
];
let server: TestServer;
let url: string;
before(async () => {
  server = await startServer();
  url = (await server.upload(await plain(200, 100, red as Rgb))).body.object_url;
});
after(() => server.stop());

const upload = async (object: string, colour: Rgb) =>
  (await server.upload(await plain(20, 20, colour), { object })).body;
const remove = (id: string) => server.json(`/delete/${id}`, { method: 'DELETE' });
const fails = (address: string) => server.json(address, { key: null });
async function colourAt(address: string, x: number, y: number): Promise<number[]> {
  const { status, bytes } = await get(server, address);
  assert.equal(status, 200, `${address}: ${bytes.toString().slice(0, 200)}`);
  return pixel(bytes, x, y);
}
const assertColour = (actual: number[], expected: readonly number[] | undefined) =>
  assert.ok(expected && isNear(actual, expected), `${actual.join()} instead of ${String(expected)}`);

test('lies where it is asked for, as large and as strong', async () => {
  await upload('logo', green as Rgb);
  assertColour(await colourAt(`${url}mark-logo.png`, 180, 80), green);
  assertColour(await colourAt(`${url}mark-logo.png`, 10, 10), red);
  assertColour(await colourAt(`${url}mark-logo_markpos-top-left.png`, 10, 10), green);
  assertColour(await colourAt(`${url}mark-logo_markw-5_markpos-top-left.png`, 30, 30), red);
  assertColour(await colourAt(`${url}mark-logo_marka-50_markpos-center.png`, 100, 50), [110, 100, 0]);
  const names = ['mark-logo.png', 'markw-25_mark-logo_marka-100.png', 'mark-logo_markpos-bottom-right.png'];
  const tags = await Promise.all(
    names.map(async (name) => (await get(server, url + name)).headers.get('etag')),
  );
  assert.equal(new Set(tags).size, 1, 'defaults make no other file');
});

test('of an id with dots and underscores is written with ~2e and ~5f', async () => {
  await upload('my_logo.v2', blue as Rgb);
  assertColour(await colourAt(`${url}mark-my~5flogo~2ev2.png`, 180, 80), blue);
  assertError(await fails(`${url}mark-my_logo.png`), 400, { message: /"logo"/ });
  assertError(await fails(`${url}mark-.png`), 400, { message: /mark takes/ });
});

test('nobody else’s picture, none that is unknown, and no climbing', async () => {
  const other = await newAccount(server);
  await server.upload(await plain(9, 9, blue as Rgb), { object: 'theirs' }, { key: other.api_key });
  for (const id of ['theirs', 'nobody', 'vid-film', '..', '__proto__'.replaceAll('_', '~5f')]) {
    const answer = await fails(`${url}mark-${id}.png`);
    assert.ok([400, 404].includes(answer.status), id);
    assertError(answer, answer.status);
  }
  assertError(await fails(`${url}mark-theirs.png`), 404, { message: /watermark was not found/ });
  assertError(await server.json(`/create/${url.split('/').at(-2)}/mark-theirs.png`), 404);
});

test('goes from every address at once when it is deleted, also from memory; used again it shows the new one', async () => {
  await upload('seal', green as Rgb);
  await change(server, operatorKey, { presets: { sealed: 'mark-seal_w-150' } });
  const names = [
    'mark-seal.png',
    'mark-seal_w-100.png',
    'preset-sealed.png',
    'mark-seal_v-1.png',
    'mark-seal',
  ];
  for (let time = 0; time < 3; time++)
    for (const name of names) assert.equal((await get(server, url + name)).status, 200, name);
  await remove('seal');
  for (const name of names) assertError(await fails(url + name), 404);
  await upload('seal', blue as Rgb);
  assertColour(await colourAt(`${url}mark-seal.png`, 180, 80), blue);
  assertColour(await colourAt(`${url}preset-sealed.png`, 140, 60), blue);
  assert.equal((await get(server, `${url}w-20.png`)).status, 200);
});

test('an address that shows a chosen id may change, with v- it says that it does not', async () => {
  await upload('stamp', green as Rgb);
  const policy = async (name: string) => (await get(server, url + name)).headers.get('cache-control');
  assert.equal(await policy('mark-stamp.png'), short);
  assert.equal(await policy('mark-stamp_v-1.png'), long);
  const { object_id: generated } = (await server.upload(await plain(20, 20, blue as Rgb))).body;
  assert.equal(await policy(`mark-${generated}.png`), long);
});

test('a picture can be its own watermark, and a moving one shows its first frame', async () => {
  const moving = await animation(40, 40, [blue, green] as Rgb[]);
  await server.upload(moving, { object: 'moving' });
  assertColour(await colourAt(`${url}mark-moving.png`, 180, 80), blue);
  const own = (await upload('own', green as Rgb)).object_url;
  assertColour(await colourAt(`${own}mark-own_w-50_invert.png`, 25, 10), [255, 55, 255]);
  assertColour(await colourAt(`${own}mark-own_w-50_invert.png`, 45, 45), green);
  const { bytes } = await get(server, `${own.replace('/own/', '/moving/')}mark-own.gif`);
  assert.equal((await sharp(bytes).metadata()).pages, 2, 'on a moving picture it lies on every frame');
  const frames = await Promise.all([0, 1].map((page) => sharp(bytes, { page }).png().toBuffer()));
  for (const frame of frames) assertColour(await pixel(frame, 36, 36), green);
});

test('deleted while it is drawn: drawn or not found, never an error of ours', async () => {
  for (let round = 0; round < 3; round++) {
    await server.upload(await plain(3000, 3000, blue as Rgb, 'jpeg'), { object: 'passing' });
    const asked = Array.from({ length: 6 }, (_, index) =>
      get(server, `${url}mark-passing_w-${300 + round * 10 + index}.png`),
    );
    await asked[0];
    await remove('passing');
    for (const { status } of await Promise.all(asked)) assert.ok([200, 404].includes(status), String(status));
    assertError(await fails(`${url}mark-passing_w-${300 + round * 10}.png`), 404);
  }
});

test('larger than the picture, or longer, it is made to fit', async () => {
  await server.upload(await plain(3, 900, green as Rgb), { object: 'long' });
  await server.upload(await plain(900, 3, blue as Rgb), { object: 'wide' });
  for (const id of ['long', 'wide'])
    for (const place of ['top-left', 'bottom-right', 'center'])
      for (const base of ['w-1_h-1', 'w-1_h-90', 'w-90_h-1', 'w-50'])
        assert.equal(
          (await get(server, `${url}${base}_mark-${id}_markw-100_markpos-${place}.png`)).status,
          200,
        );
});
