// What operators, browsers and tools ask of a service: health, metrics, the description of the API and its page, CORS.
import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { validate } from '@scalar/openapi-parser';
import { assertError } from '../support/assert-error.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { aboutFolders } from '../support/test-stores.ts';

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server.stop());

test('health is answered without a key', async () => {
  assert.deepEqual((await server.json('/health/live', { key: null })).body, { status: 'ok' });
  const ready = await server.json('/health/ready', { key: null });
  assert.equal(ready.status, 200);
  assert.deepEqual(ready.body, { status: 'ok', checks: { database: 'ok', files: 'ok', storage: 'ok' } });
});

test('not ready is 503 and says which part, without details', { skip: aboutFolders }, async () => {
  await using sick = await startServer({}, { runJobs: false });
  const folder = join(sick.dataDir, 'storage');
  await rm(folder, { recursive: true });
  await writeFile(folder, 'a file where the folder was');
  const { status, body } = await sick.json('/health/ready', { key: null });
  assert.equal(status, 503);
  assert.deepEqual(body, {
    status: 'unavailable',
    checks: { database: 'ok', files: 'ok', storage: 'failed' },
  });
  assert.equal((await sick.json('/health/live', { key: null })).status, 200);
  await rm(folder);
});

test('metrics are for this machine alone, unless they came through a proxy', async () => {
  const answer = await server.call('/metrics', { key: null });
  assert.equal(answer.status, 200);
  assert.match(answer.headers.get('content-type') ?? '', /^text\/plain/);
  assert.match(await answer.text(), /^tintype_request_seconds_bucket/m);
  for (const name of ['X-Forwarded-For', 'Forwarded', 'X-Real-IP', 'Via']) {
    const forwarded = await server.json('/metrics', { key: null, headers: { [name]: '127.0.0.1' } });
    assertError(forwarded, 404);
  }
});

test('with a token, metrics need it and nothing else', async () => {
  await using guarded = await startServer({ METRICS_TOKEN: 'metrics-token' });
  assertError(await guarded.json('/metrics', { key: null }), 404);
  assertError(await guarded.json('/metrics'), 404);
  const headers = { 'X-Forwarded-For': '192.0.2.1' };
  assert.equal((await guarded.call('/metrics', { key: 'metrics-token', headers })).status, 200);
});

test('metrics name no account, object or key', async () => {
  const { body: user } = await server.json('/user/');
  await server.json('/get/some-object-id');
  const text = await (await server.call('/metrics', { key: null })).text();
  for (const secret of [user.account_id, user.bucket_id, user.email, 'some-object-id'])
    assert.ok(!text.includes(secret), secret);
  assert.match(text, /route="\/get\/:object_id"/);
});

test('the description of the API is valid OpenAPI 3.1', async () => {
  const { body } = await server.json('/openapi.json', { key: null });
  assert.match(body.openapi, /^3\.1\./);
  const { valid, errors } = await validate(body);
  assert.deepEqual([valid, errors ?? []], [true, []]);
  assert.deepEqual(
    body.servers.map((entry: { url: string }) => entry.url),
    [server.url, `${server.url}/v1`],
  );
});

test('every operation says what it does, what it answers, and what errors look like', async () => {
  const { body } = await server.json('/openapi.json', { key: null });
  for (const [path, operations] of Object.entries<Record<string, any>>(body.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      if (method === 'servers') continue;
      const name = `${method} ${path}`;
      assert.ok(operation.summary, `${name} has a summary`);
      assert.ok(
        Object.keys(operation.responses).some((status) => status.startsWith('2')),
        `${name} describes its success`,
      );
      if (path.startsWith('/health')) continue;
      const schema = operation.responses['4XX']?.content['application/json'].schema;
      assert.deepEqual(schema, { $ref: '#/components/schemas/Error' }, `${name} describes its errors`);
    }
  }
});

test('the upload’s parts are described, so that the page can send one', async () => {
  const { body } = await server.json('/openapi.json', { key: null });
  const { schema } = body.paths['/upload/'].post.requestBody.content['multipart/form-data'];
  assert.deepEqual(Object.keys(schema.properties).sort(), ['file', 'folder', 'object', 'tags']);
  assert.deepEqual([schema.required, schema.properties.file.format], [['file'], 'binary']);
});

for (const path of ['/docs', '/docs/api-reference'])
  test(`${path} loads, with its scripts, from here alone`, async () => {
    const page = await server.call(path, { key: null });
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
    const policy = page.headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /script-src 'self'(;|$)/);
    const sources = [...(await page.text()).matchAll(/<script[^>]* src="([^"]+)"/g)].map(
      ([, source]) => source as string,
    );
    assert.ok(sources.length > 0);
    for (const source of sources) {
      assert.match(source, /^\//);
      const script = await server.call(source, { key: null });
      assert.deepEqual(
        [script.status, script.headers.get('content-type'), script.headers.get('x-content-type-options')],
        [200, 'text/javascript; charset=utf-8', 'nosniff'],
      );
      assert.ok((await script.text()).length > 50, source);
    }
  });

test('the page to read and try the API is the reference, and the front of the documentation leads there', async () => {
  const reference = await (await server.call('/docs/api-reference', { key: null })).text();
  assert.match(reference, /src="\/docs\/reference\.js"/);
  assert.match(reference, /src="\/docs\/start\.js"/);
  const front = await (await server.call('/docs', { key: null })).text();
  assert.ok(front.includes('href="/docs/api-reference"') || front === reference);
});

test('without a setting no browser origin may call the API', async () => {
  const answer = await server.call('/get/', { headers: { Origin: 'https://app.example.com' } });
  assert.equal(answer.headers.get('access-control-allow-origin'), null);
});

test('named origins may call the API, with preflight, and see errors too; others may not', async () => {
  const origin = 'https://app.example.com';
  await using open = await startServer({ API_CORS_ORIGINS: `${origin}, http://localhost:5173` });
  const preflight = (from: string, path = '/upload/') =>
    open.call(path, {
      method: 'OPTIONS',
      key: null,
      headers: {
        Origin: from,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'authorization',
      },
    });
  for (const path of ['/upload/', '/get/x', '/v1/user']) {
    const allowed = await preflight(origin, path);
    assert.equal(allowed.status, 204);
    assert.equal(allowed.headers.get('access-control-allow-origin'), origin);
    assert.match(allowed.headers.get('access-control-allow-methods') ?? '', /POST.*PATCH.*DELETE/);
    assert.match(allowed.headers.get('access-control-allow-headers') ?? '', /Authorization.*Content-Type/);
    assert.match(allowed.headers.get('vary') ?? '', /Origin/);
  }
  for (const [path, key] of [
    ['/get/', undefined],
    ['/get/', null],
    ['/nothing', null],
    ['/get/?page=0', undefined],
  ] as const) {
    const answer = await open.call(path, { headers: { Origin: origin }, ...(key === null ? { key } : {}) });
    assert.equal(answer.headers.get('access-control-allow-origin'), origin, path);
    assert.match(answer.headers.get('access-control-expose-headers') ?? '', /X-Error-Code/);
  }
  for (const stranger of [
    'https://evil.example',
    `${origin}.evil.example`,
    'null',
    'https://APP.example.com',
  ]) {
    // Uploads may come from anywhere, with a token.
    const refused = await preflight(stranger, '/get/');
    assert.deepEqual(
      [refused.status, refused.headers.get('access-control-allow-origin')],
      [405, null],
      stranger,
    );
  }
});
