// Every upload that cannot be accepted gets its clear 4xx, and afterwards nothing of it is left.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { newAccount } from '../support/accounts.ts';
import { assertClean, leavesNothing } from '../support/assert-clean.ts';
import { assertError, assertErrorShape } from '../support/assert-error.ts';
import {
  gifWithFrames,
  hostileFiles,
  htmlNamedJpg,
  pdf,
  pngBomb,
  svg,
  truncated,
} from '../support/hostile-images.ts';
import { boundary, filePart, multipart, multipartType, type Part, partHead } from '../support/multipart.ts';
import { picture } from '../support/pictures.ts';
import { head, openSocket, readAnswer, sendRaw } from '../support/raw-http.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let good: Buffer;
before(async () => {
  server = await startServer();
  good = await picture(40, 30);
  await server.upload(good, { object: 'here-before' });
});
after(() => server.stop());

function post(body: Buffer, type = multipartType) {
  return server.json('/upload/', {
    method: 'POST',
    body: new Uint8Array(body),
    headers: { 'Content-Type': type },
  });
}

type Expected = { status: number; message?: string | RegExp; code?: string };

function refused(
  title: string,
  body: () => Buffer | readonly Part[],
  { status, ...expected }: Expected,
): void {
  test(`${title}: ${status}`, async () => {
    const given = body();
    const bytes = Buffer.isBuffer(given) ? given : multipart(given as readonly Part[]);
    assertError(await leavesNothing(server, () => post(bytes)), status, expected);
  });
}

const noFile = { status: 400, code: 'file_missing', message: /part "file"/ };
const cutShort = { status: 400, code: 'invalid_multipart', message: /cut short/ };
const badRequest = { status: 400, code: 'bad_request' };
const badId = { status: 400, code: 'invalid_object_id', message: 'Invalid object id' };
const notAPicture = { status: 415, code: 'unsupported_type' };
const undecodable = { status: 422, code: 'undecodable' };

refused('no part at all', () => [], noFile);
refused('an empty body', () => Buffer.alloc(0), noFile);
refused('fields but no file', () => [{ name: 'tags', value: 'a' }], noFile);
refused('a file sent as text', () => [{ name: 'file', value: 'abc' }], noFile);
refused('a file under another name', () => [{ name: 'image', value: good, fileName: 'a.jpg' }], {
  ...badRequest,
  message: /"file"/,
});
refused('two files', () => [filePart(good), filePart(good)], { ...badRequest, message: /exactly one file/ });
refused('three files', () => [filePart(good), filePart(good), filePart(good)], badRequest);
refused('an empty file', () => [filePart(Buffer.alloc(0))], {
  status: 400,
  code: 'file_empty',
  message: /empty/,
});

refused('no end boundary', () => multipart([filePart(good)], { end: false }), cutShort);
refused(
  'no end boundary after a field',
  () => multipart([{ name: 'tags', value: 'a' }], { end: false }),
  cutShort,
);
refused('a body that ends in a part head', () => partHead(filePart(good)), cutShort);
refused('a body that is no multipart at all', () => Buffer.from('{"file":"abc"}'), { status: 400 });
refused(
  'another boundary than announced',
  () =>
    Buffer.from(
      multipart([filePart(good)])
        .toString('latin1')
        .replaceAll(boundary, 'other'),
      'latin1',
    ),
  { status: 400 },
);
refused('10,000 parts', () => Array.from({ length: 10_000 }, (_, i) => ({ name: `f${i}`, value: 'x' })), {
  ...badRequest,
  message: /too many (fields|parts)/,
});
refused(
  '10,000 files',
  () => [filePart(good), ...Array.from({ length: 9999 }, () => filePart(Buffer.from('x')))],
  { ...badRequest, message: /exactly one file/ },
);
refused('a field name of 1 MB and no file', () => [{ name: 'n'.repeat(1_000_000), value: 'x' }], {
  status: 400,
});
refused('a field of 1 MB', () => [{ name: 'tags', value: 'x'.repeat(1_000_000) }, filePart(good)], {
  ...badRequest,
  message: /too long/,
});
refused('a part without a head', () => Buffer.from(`--${boundary}\r\n\r\nx\r\n--${boundary}--\r\n`), {
  status: 400,
});
refused('a file called constructor', () => [{ name: 'constructor', value: good, fileName: 'a.jpg' }], {
  status: 400,
});

for (const [name, value] of Object.entries({
  'a JSON object': '{"a":1}',
  'a JSON array': '["a","b"]',
  'a JSON number': '5',
  'JSON null': 'null',
  'JSON that is not JSON': '["a"',
})) {
  refused(`tags as ${name}`, () => [{ name: 'tags', value, type: 'application/json' }, filePart(good)], {
    status: 400,
  });
}
refused('tags as a file', () => [{ name: 'tags', value: 'a,b', fileName: 'tags.txt' }, filePart(good)], {
  status: 400,
});
refused(
  '101 tags',
  () => [{ name: 'tags', value: Array.from({ length: 101 }, (_, i) => i).join(',') }, filePart(good)],
  { ...badRequest, message: /at most 100 tags/ },
);
refused('a tag of 101 characters', () => [{ name: 'tags', value: 'x'.repeat(101) }, filePart(good)], {
  ...badRequest,
  message: /100 characters/,
});
refused('a tag with a control character', () => [{ name: 'tags', value: 'a\u0007b' }, filePart(good)], {
  ...badRequest,
  message: /control/,
});
refused('a bad tag after the file', () => [filePart(good), { name: 'tags', value: 'a\u0000b' }], badRequest);

for (const folder of [
  '..',
  '.',
  '../x',
  'a/../b',
  'a/./b',
  '/a/..',
  'a/..//',
  'a\u0000b',
  'a\r\nb',
  'a\u0085b',
  'x'.repeat(513),
])
  refused(
    `folder ${JSON.stringify(folder).slice(0, 30)}`,
    () => [{ name: 'folder', value: folder }, filePart(good)],
    { ...badRequest, message: /folder/ },
  );

for (const id of [
  '../x',
  '..',
  '.',
  'a/b',
  'a\\b',
  '/abs',
  'C:\\x',
  '..%2fx',
  '%2e%2e',
  'a b',
  ' a',
  'a ',
  'a\u0000',
  'a\r\nb',
  '-rf',
  '.hidden',
  '_x',
  '$(id)',
  '{{7*7}}',
  '"><script>',
  'ä',
  '．．',
  'x:ads',
  'x'.repeat(129),
  'x'.repeat(5000),
  'tags',
  'search',
  'bulk',
  'vid-',
  'vid-1',
  '__proto__',
])
  refused(
    `object id ${JSON.stringify(id).slice(0, 30)}`,
    () => [{ name: 'object', value: id }, filePart(good)],
    badId,
  );
refused('a bad object id after the file', () => [filePart(good), { name: 'object', value: '../x' }], badId);

refused('text named .jpg', () => [filePart(Buffer.from('only words'))], {
  ...notAPicture,
  message: /not a supported image or video/,
});
refused('HTML named .jpg', () => [filePart(htmlNamedJpg())], notAPicture);
refused('SVG named .jpg', () => [filePart(svg())], notAPicture);
refused('PDF named .jpg', () => [filePart(pdf())], notAPicture);
refused('a truncated picture', () => [filePart(truncated(good))], { ...undecodable, message: /cut short/ });
refused('a picture without its last byte', () => [filePart(good.subarray(0, -1))], {
  ...undecodable,
  message: /cut short/,
});
refused('a PNG of 40,000 × 40,000', () => [filePart(pngBomb(40_000, 40_000))], {
  ...undecodable,
  message: /1,600,000,000 pixels/,
});
refused('a GIF of 10,000 frames', () => [filePart(gifWithFrames(10_000))], {
  ...undecodable,
  message: /1,000 frames/,
});

test('HEIC is named, with what to do', async () => {
  const heic = hostileFiles().find(({ name }) => name === 'heic.jpg')?.bytes as Buffer;
  assertError(await post(multipart([filePart(heic)])), 415, { message: /HEIC.*convert.*JPEG/ });
});

test('every hostile file gets its status, and only the harmless ones are stored', async () => {
  const files = hostileFiles();
  assert.ok(files.length > 80);
  const refusals = files.filter(({ expectStatus }) => expectStatus !== 200);
  await leavesNothing(server, async () => {
    for (const { name, bytes, expectStatus } of refusals) {
      const answer = await server.upload(bytes, {}, { fileName: name });
      assert.equal(answer.status, expectStatus, `${name}: ${JSON.stringify(answer.body)}`);
      assertErrorShape(answer);
    }
  });
  for (const { name, bytes } of files.filter(({ expectStatus }) => expectStatus === 200)) {
    const { status, body } = await server.upload(bytes, {}, { fileName: name });
    assert.equal(status, 200, name);
    const original = await server.call(body.original, { key: null });
    assert.deepEqual(Buffer.from(await original.arrayBuffer()), bytes);
    assert.match(original.headers.get('content-type') ?? '', /^image\//);
    assert.equal(original.headers.get('x-content-type-options'), 'nosniff');
    assert.equal(original.headers.get('content-security-policy'), "default-src 'none'; sandbox");
  }
});

test('a file over the limit of its tier is 413, named in the message, and the client can finish sending', async () => {
  const { api_key: key } = await newAccount(server, { tier: 'free' });
  const large = Buffer.concat([good, Buffer.alloc(25 * 1024 * 1024 - good.length + 1)]);
  const answer = await leavesNothing(server, () => server.upload(large, {}, { key }));
  assertError(answer, 413, { message: 'File too large (maximum 25 MB)', code: 'file_too_large' });
  const fits = await server.upload(large.subarray(0, -1), {}, { key });
  assert.equal(fits.status, 200, 'exactly 25 MB is accepted');
});

test('a large refused upload can be sent to its end by a client that does not read while it writes', async () => {
  const body = multipart([filePart(Buffer.concat([Buffer.from('words '), Buffer.alloc(8_000_000, 0x20)]))]);
  const socket = await openSocket(server);
  const request = head('POST', '/upload/', { 'Content-Type': multipartType, 'Content-Length': body.length });
  const sent = new Promise<string>((resolve) => {
    socket.once('close', () => resolve('cut off'));
    socket.pause();
    socket.write(Buffer.concat([Buffer.from(request), body]), () => resolve('sent'));
  });
  assert.equal(await sent, 'sent');
  socket.resume();
  assertError(await readAnswer(socket), 415);
  socket.destroy();
});

test('content types that are no multipart with a boundary are refused', async () => {
  const body = multipart([filePart(good)]);
  for (const type of [
    'application/json',
    'text/plain',
    'application/x-www-form-urlencoded',
    'image/jpeg',
    'multipart/mixed; boundary=x',
  ])
    assertError(await leavesNothing(server, () => post(body, type)), 415, { code: 'not_multipart' });
  for (const type of [
    'multipart/form-data',
    'multipart/form-data; boundary=',
    `multipart/form-data; boundary=${'b'.repeat(300)}`,
  ])
    assertError(await leavesNothing(server, () => post(body, type)), 400, { code: 'invalid_multipart' });
  const bare = head('POST', '/upload/', { 'Content-Length': 3 });
  assertError(await sendRaw(server, `${bare}abc`), 415, { code: 'not_multipart' });
});

test('an upload that the client abandons half-way leaves nothing', async () => {
  const body = multipart([{ name: 'object', value: 'abandoned' }, filePart(await picture(600, 600))]);
  for (const share of [0.02, 0.5, 0.999]) {
    await leavesNothing(server, async () => {
      const socket = await openSocket(server);
      const arrived = once(server.app.http.server, 'request');
      socket.write(
        head('POST', '/upload/', { 'Content-Type': multipartType, 'Content-Length': body.length }),
      );
      await new Promise((resolve) => socket.write(body.subarray(0, body.length * share), resolve));
      await arrived;
      socket.resetAndDestroy();
    });
  }
  await leavesNothing(server, async () => {
    const socket = await openSocket(server);
    socket.write(head('POST', '/upload/', { 'Content-Type': multipartType, 'Content-Length': body.length }));
    socket.end(body.subarray(0, 5000));
  });
  const { status } = await server.upload(good, { object: 'abandoned' });
  assert.equal(status, 200, 'its id is still free');
});

test('after all that the service is clean', () => assertClean(server));
