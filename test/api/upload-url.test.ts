// Uploads from an address: the same pipeline, and whatever the other server does is no fault of ours.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newAccount, sendJson } from '../support/accounts.ts';
import { assertClean, leavesNothing } from '../support/assert-clean.ts';
import { assertError } from '../support/assert-error.ts';
import { eventually } from '../support/eventually.ts';
import { type FileSource, fileSource } from '../support/file-source.ts';
import { makeFilm } from '../support/films.ts';
import { insideHosts } from '../support/inside-hosts.ts';
import { picture } from '../support/pictures.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let source: FileSource;
let file: Buffer;
let closedEarly = 0;
before(async () => {
  const bodyRate = { bytesPerSecond: 1024, windowMs: 500, checkEveryMs: 50 };
  server = await startServer({ UPLOAD_ALLOW_PRIVATE: 'on' }, { bodyRate });
  file = await picture(64, 48);
  const film = makeFilm({ container: 'mp4', seconds: 1, width: 64, height: 48 });
  source = await fileSource({
    '/pictures/sea%20side.jpg': (response) => response.end(file),
    '/named': (response) =>
      response.writeHead(200, { 'Content-Disposition': 'inline; filename="../x/coast.jpg"' }).end(file),
    '/moved': (response) => response.writeHead(302, { Location: '/named' }).end(),
    '/round': (response) => response.writeHead(302, { Location: '/round' }).end(),
    '/film': (response) => response.end(film),
    '/page': (response) => response.writeHead(200, { 'Content-Type': 'image/jpeg' }).end('<html></html>'),
    '/empty': (response) => response.end(),
    '/broken': (response) => response.writeHead(500).end(),
    '/none': (response) => response.writeHead(204).end(),
    '/cut': (response) => {
      response.writeHead(200, { 'Content-Length': file.length });
      response.write(file.subarray(0, 100), () => response.destroy());
    },
    '/slow': (response) => {
      response.writeHead(200, { 'Content-Length': file.length });
      response.write(file.subarray(0, 100));
      response.on('close', () => (closedEarly += 1));
    },
    '/huge': (response) => {
      response.writeHead(200);
      response.write(Buffer.concat([file, Buffer.alloc(26 * 1024 * 1024)]));
      response.on('close', () => (closedEarly += 1));
    },
  });
});
after(async () => {
  await source[Symbol.asyncDispose]();
  await assertClean(server);
  await server.stop();
});

const fetchFrom = (
  path: string,
  body: object = {},
  init: { key?: string; headers?: Record<string, string> } = {},
) =>
  server.json('/upload/url', {
    ...sendJson('POST', { url: source.url + path, ...body }),
    headers: { 'Content-Type': 'application/json', ...init.headers },
    ...(init.key === undefined ? {} : { key: init.key }),
  });

describe('a file at an address', () => {
  test('is stored like one that was sent', async () => {
    const { status, body } = await fetchFrom('/pictures/sea%20side.jpg', {
      tags: ['a', 'b', 'a'],
      folder: '/in/',
      object: 'fetched',
    });
    assert.equal(status, 200);
    const { body: sent } = await server.upload(file);
    assert.deepEqual(Object.keys(body).sort(), Object.keys(sent).sort());
    assert.deepEqual(
      [body.object_id, body.tags, body.folder, body.original_file_name],
      ['fetched', ['a', 'b'], 'in', 'sea side.jpg'],
    );
    const original = await server.call(body.original, { key: null });
    assert.deepEqual(Buffer.from(await original.arrayBuffer()), file);
  });

  test('is called what its server calls it, also after a redirect', async () => {
    const { body } = await fetchFrom('/moved', { tags: 'x, y' });
    assert.deepEqual([body.original_file_name, body.tags], ['coast.jpg', ['x', 'y']]);
  });

  test('may be a film', async () => {
    const { body } = await fetchFrom('/film');
    assert.match(body.object_id, /^vid-/);
  });

  test('is fetched once under one Idempotency-Key', async () => {
    const headers = { 'Idempotency-Key': 'fetch-once' };
    const first = await fetchFrom('/named', {}, { headers });
    const before = source.paths.length;
    assert.deepEqual((await fetchFrom('/named', {}, { headers })).body, first.body);
    assert.equal(source.paths.length, before);
  });
});

describe('what goes wrong leaves nothing, and is', () => {
  test('422 when the other server does not give the file', async () => {
    const cases: [string, RegExp][] = [
      ['/nothing', /^The file could not be fetched: the server answered 404$/],
      ['/broken', /the server answered 500$/],
      ['/none', /the server answered 204$/],
      ['/round', /redirected more than 5 times$/],
      ['/cut', /the connection ended too early$/],
      ['/slow', /less than 1 KB per second/],
    ];
    for (const [path, message] of cases)
      assertError(await leavesNothing(server, () => fetchFrom(path)), 422, {
        code: 'source_unavailable',
        message,
      });
    const nobody = await server.json('/upload/url', sendJson('POST', { url: 'http://127.0.0.1:1/x.jpg' }));
    assertError(nobody, 422, { code: 'source_unavailable', message: /no connection \(ECONNREFUSED\)/ });
    await eventually(() => assert.equal(closedEarly, 1));
  });

  test('what it is for every upload when the file is not good', async () => {
    const { api_key: key } = await newAccount(server, { tier: 'free' });
    assertError(await leavesNothing(server, () => fetchFrom('/page')), 415, { code: 'unsupported_type' });
    assertError(await leavesNothing(server, () => fetchFrom('/empty')), 400, { code: 'file_empty' });
    assertError(await leavesNothing(server, () => fetchFrom('/huge', {}, { key })), 413);
    await eventually(() => assert.equal(closedEarly, 2, 'the rest is not fetched'));
    await fetchFrom('/named', { object: 'taken' });
    assertError(await fetchFrom('/named', { object: 'taken' }), 409, { code: 'object_id_in_use' });
  });

  test('400 when the request is not right', async () => {
    for (const body of [
      { url: 'x' },
      { url: 'ftp://example.com/x' },
      { url: 'file:///etc/passwd' },
      { url: 'http://a:b@example.com/x' },
      { url: 'http://example.com/\u0000' },
      { url: 5 },
      { tags: [5] },
      { folder: '..' },
      { object: 'search' },
      { colour: 'blue' },
    ])
      assertError(await fetchFrom('/named', body), 400);
    assertError(await server.json('/upload/url', sendJson('POST', {})), 400);
  });
});

test('a client that goes away is not fetched for any longer', async () => {
  const gone = new AbortController();
  const before = closedEarly;
  const waiting = server.call('/upload/url', {
    ...sendJson('POST', { url: `${source.url}/slow` }),
    signal: gone.signal,
  });
  const seen = source.paths.length;
  await eventually(() => assert.ok(source.paths.length > seen));
  gone.abort();
  await assert.rejects(waiting);
  await eventually(() => assert.equal(closedEarly, before + 1));
});

test('unless the operator allows it, nothing inside is connected to', async () => {
  await using strict = await startServer();
  const { port } = new URL(source.url);
  const before = source.paths.length;
  for (const host of insideHosts) {
    const answer = await strict.json(
      '/upload/url',
      sendJson('POST', { url: `http://${host}:${port}/named` }),
    );
    assertError(answer, 400);
  }
  assert.equal(source.paths.length, before);
});
