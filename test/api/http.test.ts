// The manners of the API that hold for every address: paths, methods, bodies, errors, and what is no proper HTTP at all.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sendJson } from '../support/accounts.ts';
import { assertError, assertErrorShape } from '../support/assert-error.ts';
import { multipartType } from '../support/multipart.ts';
import { picture } from '../support/pictures.ts';
import { head, openSocket, readAnswer, sendRaw } from '../support/raw-http.ts';
import { operatorKey, startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
const logLines: string[] = [];
before(async () => {
  server = await startServer({}, { logLines });
  await server.upload(await picture(5, 5), { object: 'here', tags: 't' });
});
after(() => server.stop());

test('every path works with and without the final slash, and below /v1', async () => {
  for (const path of [
    '/get',
    '/get/tags',
    '/get/here',
    '/user',
    '/tags',
    '/folders',
    '/keys',
    '/accounts',
    '/create/here/w-5.png',
    '/health/live',
  ]) {
    const query = path === '/get/tags' ? '?tags=t' : '';
    const spellings = [`${path}${query}`, `${path}/${query}`, `/v1${path}${query}`, `/v1${path}/${query}`];
    const statuses = await Promise.all(
      spellings.map(async (spelling) => (await server.json(spelling)).status),
    );
    assert.deepEqual(statuses, [200, 200, 200, 200], path);
  }
  for (const path of ['/update/here', '/update/here/', '/v1/update/here'])
    assert.equal((await server.json(path, sendJson('POST', { tags: ['t'] }))).status, 200, path);
});

test('an unknown path is 404 for every method', async () => {
  const paths = [
    '/nothing',
    '/v2/get/',
    '/v1/v1/get/',
    '/get/a/b',
    '/upload/x',
    '/GET/',
    '//get/',
    '/openapi_json',
    '/docs/startXjs',
    '/v1get/',
    '/keys/a/rotate/b',
  ];
  for (const path of paths) {
    for (const method of ['GET', 'POST', 'DELETE', 'PATCH', 'PUT'])
      assertError(await server.json(path, { method }), 404, { code: 'not_found' });
    assert.equal((await server.call(path, { method: 'HEAD' })).status, 404);
  }
});

test('a known path with another method is 405 and names those it accepts', async () => {
  const cases: [string, string, string][] = [
    ['PUT', '/upload/', 'POST'],
    ['GET', '/upload', 'POST'],
    ['POST', '/get/', 'GET, HEAD'],
    ['DELETE', '/get/here', 'GET, HEAD'],
    ['GET', '/update/here', 'POST'],
    ['GET', '/delete/here', 'DELETE'],
    ['POST', '/create/here/w-5.webp', 'GET, HEAD'],
    ['DELETE', '/user/', 'GET, HEAD, PATCH'],
    ['PUT', '/keys/', 'GET, HEAD, POST'],
    ['GET', '/bulk/', 'POST'],
    ['POST', '/health/live', 'GET, HEAD'],
    ['OPTIONS', '/get/', 'GET, HEAD'],
    ['PUT', '/v1/user/', 'GET, HEAD, PATCH'],
  ];
  for (const [method, path, allowed] of cases) {
    const answer = await server.json(path, { method });
    assertError(answer, 405, { code: 'method_not_allowed' });
    assert.equal(answer.headers.get('allow'), allowed, `${method} ${path}`);
  }
  for (const method of ['TRACE', 'PROPFIND', 'LINK', 'PURGE']) {
    const answer = await sendRaw(server, head(method, '/get/', { 'Content-Length': 0 }));
    assertError(answer, 405);
    assertError(await sendRaw(server, head(method, '/nothing', { 'Content-Length': 0 })), 404);
  }
});

test('a HEAD request is answered like a GET without its body', async () => {
  const answer = await server.call('/get/', { method: 'HEAD' });
  assert.equal(answer.status, 200);
  assert.equal(await answer.text(), '');
  const missing = await server.call('/get/nobody', { method: 'HEAD' });
  assert.deepEqual([missing.status, missing.headers.get('x-error-code')], [404, 'object_not_found']);
});

test('every answer carries a request id of its own, which the client cannot choose', async () => {
  const ids = new Set<string | null>();
  for (const path of ['/get/', '/nothing', '/health/live', '/user/']) {
    const answer = await server.call(path, { headers: { 'X-Request-Id': 'mine', 'Request-Id': 'mine' } });
    assert.match(answer.headers.get('x-request-id') ?? '', /^req_/);
    ids.add(answer.headers.get('x-request-id'));
    await answer.body?.cancel();
  }
  assert.equal(ids.size, 4);
});

test('JSON that is not JSON is 400', async () => {
  const send = (body: string, type = 'application/json') =>
    server.json('/update/here', { method: 'POST', body, headers: { 'Content-Type': type } });
  for (const body of [
    '{',
    '{"tags":["a"]',
    'tags=a',
    '{tags:[]}',
    "{'tags':[]}",
    '\u0000',
    '{"tags":[]}x',
    '[',
    'undefined',
    '{"tags":["\\ud800"',
  ])
    assertError(await send(body), 400, { code: 'invalid_json' });
  assert.equal((await send('{"tags":["t"]}', 'application/json; charset=utf-8')).status, 200);
  assertError(await send('\ufeff{'), 400);
});

test('an empty body with a JSON type is no body', async () => {
  const empty = (path: string, method: string) =>
    server.json(path, { method, body: '', headers: { 'Content-Type': 'application/json' } });
  assertError(await empty('/update/here', 'POST'), 400);
  await server.upload(await picture(5, 5), { object: 'bare' });
  assert.equal((await empty('/delete/bare', 'DELETE')).status, 200);
});

test('a body of another type is 415', async () => {
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/xml',
    multipartType,
    'application/jsonx',
    'x',
    '',
  ])
    assertError(
      await sendRaw(
        server,
        `${head('POST', '/update/here', { 'Content-Type': type, 'Content-Length': 11 })}{"tags":[]}`,
      ),
      415,
      { code: 'not_json' },
    );
  assertError(
    await sendRaw(server, `${head('POST', '/update/here', { 'Content-Length': 11 })}{"tags":[]}`),
    415,
  );
});

test('keys that reach for prototypes are refused', async () => {
  for (const body of [
    '{"__proto__":{"x":1},"tags":[]}',
    '{"tags":[],"constructor":{"prototype":{"x":1}}}',
    '{"tags":[{"__proto__":1}]}',
  ])
    assertError(
      await server.json('/update/here', {
        method: 'POST',
        body,
        headers: { 'Content-Type': 'application/json' },
      }),
      400,
    );
  assert.equal(({} as { x?: unknown }).x, undefined);
  assert.equal((await server.json('/get/?__proto__=1&constructor=2&toString=3')).status, 200);
  assertError(
    await server.json('/user/', sendJson('PATCH', { presets: JSON.parse('{"__proto__":"w-5"}') })),
    400,
  );
});

test('very deep JSON is refused like any other wrong value', async () => {
  for (const depth of [1000, 100_000]) {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      const deep = open.repeat(depth) + '1' + close.repeat(depth);
      const post = (body: string) =>
        server.json('/update/here', {
          method: 'POST',
          body,
          headers: { 'Content-Type': 'application/json' },
        });
      assertErrorShape(await post(deep));
      assertError(await post(`{"tags":${deep}}`), 400);
    }
  }
});

test('a JSON body over 1 MB is 413, announced or not', async () => {
  const body = JSON.stringify({ tags: ['x'.repeat(1024 * 1024)] });
  assertError(
    await server.json('/update/here', {
      method: 'POST',
      body,
      headers: { 'Content-Type': 'application/json' },
    }),
    413,
    { code: 'body_too_large' },
  );
  const socket = await openSocket(server);
  socket.write(
    head('POST', '/update/here', { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' }),
  );
  socket.write(`${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
  assertError(await readAnswer(socket), 413);
  socket.destroy();
});

test('what is no HTTP is 400 with a sentence, and the connection is closed', async () => {
  const key = `Authorization: Bearer ${operatorKey}\r\n`;
  const malformed: Record<string, string> = {
    'no request line': 'hello\r\n\r\n',
    'unknown method': `FOO /get/ HTTP/1.1\r\nHost: x\r\n${key}\r\n`,
    'HTTP/9': `GET /get/ HTTP/9.9\r\nHost: x\r\n${key}\r\n`,
    'a header without a colon': `GET /get/ HTTP/1.1\r\nHost: x\r\nbroken\r\n\r\n`,
    'a header with a control character': `GET /get/ HTTP/1.1\r\nHost: x\r\nX: a\u0001b\r\n\r\n`,
    'no host': `GET /get/ HTTP/1.1\r\n${key}\r\n`,
    'Content-Length that is no number': `POST /update/here HTTP/1.1\r\nHost: x\r\n${key}Content-Length: ten\r\n\r\n`,
    'a negative Content-Length': `POST /update/here HTTP/1.1\r\nHost: x\r\n${key}Content-Length: -1\r\n\r\n`,
    'two Content-Lengths': `POST /update/here HTTP/1.1\r\nHost: x\r\n${key}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
    'both Content-Length and Transfer-Encoding': `POST /update/here HTTP/1.1\r\nHost: x\r\n${key}Content-Type: application/json\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    'an unknown Transfer-Encoding': `POST /update/here HTTP/1.1\r\nHost: x\r\n${key}Transfer-Encoding: gzip\r\n\r\n`,
    'a chunk size that is no number': `POST /update/here HTTP/1.1\r\nHost: x\r\n${key}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n`,
    'a bare line feed in a header': `GET /get/ HTTP/1.1\r\nHost: x\nX: y\r\n\r\n`,
    'a TLS handshake': '\u0016\u0003\u0001\u0002\u0000\u0001\r\n\r\n',
  };
  for (const [name, request] of Object.entries(malformed)) {
    const socket = await openSocket(server);
    socket.write(Buffer.from(request, 'latin1'));
    const answer = await readAnswer(socket).catch((error: Error) => assert.fail(`${name}: ${error.message}`));
    assert.equal(answer.status, 400, name);
    assertErrorShape(answer);
    assert.equal(answer.headers.get('connection'), 'close', name);
    socket.destroy();
  }
});

test('headers of 100 KB are 431', async () => {
  const request = head('GET', '/get/', { 'X-Large': 'x'.repeat(100_000) });
  const answer = await sendRaw(server, request);
  assertError(answer, 431, { code: 'headers_too_large' });
  assert.match(answer.statusText, /Header Fields Too Large/);
  assertError(await sendRaw(server, head('GET', `/get/${'x'.repeat(100_000)}`)), 431);
});

test('an expectation nobody can meet is 417, and 100-continue is met', async () => {
  assertError(await sendRaw(server, head('GET', '/get/', { Expect: 'miracle' })), 417);
  const body = '{"tags":["t"]}';
  const request = head('POST', '/update/here', {
    Expect: '100-continue',
    'Content-Type': 'application/json',
    'Content-Length': body.length,
  });
  assert.equal((await sendRaw(server, request + body)).status, 200);
});

test('paths that are not valid URLs, or try to climb, are 404', async () => {
  for (const target of [
    '/get/%',
    '/get/%zz',
    '/get/%ff%fe',
    '/get/%c0%ae%c0%ae',
    '/../etc/passwd',
    '/get/../../etc/passwd',
    '/files/../get/',
    '/get/..%2f..%2f',
    '/%00',
  ])
    assertError(await sendRaw(server, Buffer.from(head('GET', target), 'latin1')), 404);
});

test('a request without a key is 401 with WWW-Authenticate, however the header is wrong', async () => {
  for (const authorization of [
    '',
    'Bearer',
    'Bearer ',
    `Basic ${operatorKey}`,
    operatorKey,
    `Bearer ${operatorKey}x`,
    `Bearer ${operatorKey} ${operatorKey}`,
    `Bearer ${'x'.repeat(5000)}`,
    'Bearer \u00e9',
  ]) {
    const answer = await sendRaw(
      server,
      Buffer.from(head('GET', '/get/', { Authorization: authorization }), 'latin1'),
    );
    assertError(answer, 401, { message: 'Invalid or missing API key', code: 'invalid_api_key' });
    assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
  }
  assert.equal(
    (await sendRaw(server, head('GET', '/get/', { Authorization: `bearer  ${operatorKey}` }))).status,
    200,
  );
});

test('errors are never cached', async () => {
  for (const path of ['/nothing', '/get/nobody', '/get/?page=0', '/files/x'])
    assert.equal((await server.call(path)).headers.get('cache-control'), 'no-store');
});

test('two requests sent at once on one connection are both answered', async () => {
  const socket = await openSocket(server);
  socket.write(head('GET', '/health/live') + head('GET', '/health/live', { Connection: 'close' }));
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  assert.equal(
    Buffer.concat(chunks)
      .toString()
      .match(/HTTP\/1\.1 200/g)?.length,
    2,
  );
});

test('nothing of all this was an error of ours', () => {
  assert.deepEqual(
    logLines.filter((line) => (JSON.parse(line) as { level: number }).level >= 50),
    [],
  );
});
