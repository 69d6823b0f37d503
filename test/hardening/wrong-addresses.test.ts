// Public addresses as nobody should write them: every one is refused with a sentence that names what is wrong, leaves
// nothing on disk, and two spellings of one picture are one file.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { tokenNames, tokenRow } from '../../src/images/address/tokens.ts';
import { assertError } from '../support/assert-error.ts';
import { ask } from '../support/http-answers.ts';
import { picture } from '../support/pictures.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { counter, prepared, variantFiles } from '../support/variants.ts';
import { wrongValues } from './wrong-values.ts';

let server: TestServer;
let path: string;
let files: number;
before(async () => {
  server = await startServer();
  const { body } = await server.upload(await picture(60, 40), { object: 'photo' });
  path = new URL(body.object_url).pathname;
  await prepared(server);
  files = await count();
});
after(() => server.stop());

const count = async () =>
  (await variantFiles(server, 'cache')).length + (await variantFiles(server, 'variants')).length;

/** Sent as it stands: nothing is tidied up on the way. */
async function refused(name: string, message?: RegExp, status = 400): Promise<void> {
  const answer = await ask(server.url, path + name);
  const headers = { get: (header: string) => String(answer.headers[header.toLowerCase()] ?? '') };
  const body: unknown = JSON.parse(answer.bytes.toString());
  assertError({ status: answer.status, headers, body }, status, message ? { message } : {});
  assert.equal(headers.get('cache-control'), 'no-store', name);
}

test('every value a token does not take is 400 and names the token and its range', async () => {
  assert.deepEqual(
    Object.keys(wrongValues).toSorted(),
    [...tokenNames].toSorted(),
    'each token has its cases',
  );
  for (const [name, values] of Object.entries(wrongValues)) {
    const takes = tokenRow(name as (typeof tokenNames)[number]).value.takes;
    for (const value of values) {
      const answer = await ask(server.url, `${path}${encodeURIComponent(`${name}-${value}`)}.png`);
      const { error } = JSON.parse(answer.bytes.toString()) as { error: string };
      // A dot or an underscore in a value ends the token, so that what follows is at fault.
      const isWhole = !/[._]/.test(value);
      assert.equal(answer.status, 400, `${name}-${value}: ${error}`);
      if (isWhole) assert.ok(error.includes(`${name} takes ${takes}`), `${name}-${value}: ${error}`);
      else assert.match(error, /out of range|Unknown|empty/);
    }
  }
});

test('unknown and repeated tokens, too many and too long are named', async () => {
  for (const token of [
    'width-5',
    'W-5',
    'w',
    'wh-5',
    'bgremove',
    'Gray',
    'ｗ-5',
    'w=5',
    '-',
    '--',
    'w-5-',
    'x'.repeat(40),
  ])
    await refused(`${encodeURIComponent(token)}.png`, /Unknown token|out of range/);
  for (const name of tokenNames.filter((each) => each !== 'bg-remove')) {
    const example = tokenRow(name)
      .example.split('_')
      .find((token) => token.split('-')[0] === name) as string;
    await refused(`${example}_${example}.png`, new RegExp(`repeats ${name}`));
  }
  await refused('bg-remove_bg-remove.png', /repeats bg-remove/);
  const seventeen =
    'w-1_h-1_fit-fill_g-top_dpr-2_q-5_rot-9_flip-h_blur-1_sharp-1_bri-1_con-1_sat-1_gam-1_hue-1_gray_sepia';
  await refused(`${seventeen}.png`, /more than 16 tokens/);
  await refused(`v-${'x'.repeat(98)}_`.repeat(6).concat('w-5.png'), /512 bytes/);
  await refused(`${'ä'.repeat(260)}.png`.replaceAll('ä', '%C3%A4'), /512 bytes/);
  await refused(`${'w'.repeat(5000)}.png`, undefined, 404);
});

test('empty tokens, stray dots and underscores, and formats nobody knows are refused', async () => {
  for (const name of [
    '_w-5.png',
    'w-5_.png',
    'w-5__h-5.png',
    '_.png',
    '__',
    '_',
    'w-5_',
    '.png',
    '..png',
    '.',
    '..',
    '...',
    'w-5.',
    'w-5..png',
    'w-5.png.',
    'original.',
    'original..webp',
    'original_.webp',
  ])
    assert.ok([400, 404].includes((await ask(server.url, path + name)).status), name);
  for (const format of [
    'PNG',
    'Webp',
    'JPG',
    'svg',
    'html',
    'php',
    'js',
    'tiff',
    'heic',
    'pdf',
    'png%00',
    'png%20',
    'png;x',
    'constructor',
    '__proto__',
    'm3u8',
    'mp4',
  ])
    await refused(`w-5.${format}`, /Unknown format|Unknown token|empty token|out of range/);
});

test('what is encoded twice, overlong, cut or not text at all is no address and no token', async () => {
  for (const name of [
    'w%2D5%2Epng%00',
    '%2577-5.png',
    'w-5%2500.png',
    'w-5%0a.png',
    'w-5%0d%0aX-A:b.png',
    '%ef%bd%97-5.png',
    '%e2%80%aew-5.png',
    'w-5%e2%80%8b.png',
    'w%E2%80%9310.png',
  ])
    await refused(name, /Unknown|out of range/);
  for (const name of [
    '%c0%77-5.png',
    '%c1%b7-5.png',
    'w-5.png%',
    'w-5.png%2',
    '%ff',
    '%80',
    '%ed%a0%80',
    'w-5%2fh-5.png',
    '%2e%2e%2fw-5.png',
    'w-5.png/x',
    '..%2f..%2f..%2fetc%2fpasswd',
    'w-5.png%5c..%2f',
  ])
    assert.ok([400, 404].includes((await ask(server.url, path + name)).status), name);
  for (const name of ['%2577-5.png', '%c0%77-5.png', '%ff', `${'w'.repeat(5000)}.png`]) {
    const { status, headers } = await ask(server.url, path + name);
    assert.equal(headers['cache-control'], 'no-store', `${status} ${name.slice(0, 20)}`);
  }
});

test('none of that has written a file or started a rendering', async () => {
  assert.equal(await count(), files);
  assert.equal((await variantFiles(server, 'cache', '.staging')).length, 0);
});

test('all spellings of one picture are one file', async () => {
  const before = await counter(server, 'tintype_renderings');
  const tags = new Set<unknown>();
  for (const name of [
    'w-21_h-22.png',
    'h-22_w-21.png',
    '%77-21_h-22.png',
    '%77%2d%32%31%5f%68%2D22%2Epng',
    'w-21_h-22_fit-cover.png',
    'w-21_h-22_g-center_dpr-1_q-auto.png',
    'w-21_h-22_q-7.png',
    'w-21_h-22_rot-360_hue-360_bri-0_pad-0_r-0.png',
    'w-21_h-22_rot-n360.png',
    'w-21_h-22_markpos-top_markw-9_marka-8.png',
    'w-21_h-22_anim-1_page-1.png',
    'w-21_h-22_ar-3-4.png',
    'w-21_h-22_v-1.png',
    'w-21_h-22_meta-none_dpr-1.0.png',
  ]) {
    const { status, headers } = await ask(server.url, path + name);
    assert.equal(status, 200, name);
    tags.add(headers.etag);
  }
  for (const name of [
    'w-23_bg-fff.png',
    'w-23_bg-FFFFFF.png',
    'w-23_bg-white.png',
    'w-23_bg-ffff.png',
    'w-23_bg-ffffffff.png',
  ])
    tags.add((await ask(server.url, path + name)).headers.etag);
  for (const name of ['w-24_ar-16-9.png', 'w-24_ar-32-18.png', 'w-24_ar-8-4.5.png'])
    tags.add((await ask(server.url, path + name)).headers.etag);
  assert.equal(tags.size, 3);
  assert.equal((await counter(server, 'tintype_renderings')) - before, 3);
  assert.equal(await count(), files + 3);
});
