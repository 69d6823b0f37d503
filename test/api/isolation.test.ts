// Nobody gets at what is not theirs. The cases are made from the description of the API and the table of routes, so that
// a route nobody thought of here makes this file fail.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newAccount, newKey, sendJson, type TestAccount } from '../support/accounts.ts';
import { assertError } from '../support/assert-error.ts';
import { eventually } from '../support/eventually.ts';
import { everyFile } from '../support/every-file.ts';
import { filePart, multipart, multipartType } from '../support/multipart.ts';
import { picture } from '../support/pictures.ts';
import { standIn } from '../support/stand-in.ts';
import { operatorKey, startServer, type TestServer } from '../support/server.ts';
import { waitingJobs } from '../support/waiting-jobs.ts';
import { beginUpload } from '../support/tus.ts';

type Scope = 'read' | 'write' | 'account' | 'operator';
type Case = {
  scope: Scope;
  /** Something of the victim's, as the path names it. */
  path?: string;
  init?: RequestInit;
  /** What somebody else gets to see of it: nothing, or only what is their own. */
  other: 404 | 'own';
};

let server: TestServer;
let victim: TestAccount;
let stranger: TestAccount;
let webhookId: string;
let deliveryId: string;
let uploadId: string;
let file: Buffer;
const logLines: string[] = [];
const scopes: readonly Scope[] = ['read', 'write', 'account', 'operator'];

before(async () => {
  server = await startServer({ WEBHOOK_ALLOW_PRIVATE: 'on' }, { logLines });
  file = await picture(6, 6);
  victim = await newAccount(server, { email: 'victim@example.com' });
  stranger = await newAccount(server, { email: 'stranger@example.com' });
  await server.upload(
    file,
    { object: 'treasure', tags: 'private', folder: 'hidden' },
    { key: victim.api_key },
  );
  const begun = await beginUpload(server, 10, { key: victim.api_key, metadata: { folder: 'hidden' } });
  uploadId = begun.url.split('/').at(-1) as string;
  await using receiver = await standIn();
  const { body } = await server.json('/webhooks/', {
    ...sendJson('POST', { url: `${receiver.url}/private` }),
    key: victim.api_key,
  });
  webhookId = body.webhook_id;
  const tested = await server.json(`/webhooks/${webhookId}/test`, { method: 'POST', key: victim.api_key });
  deliveryId = tested.body.delivery_id;
});
after(() => server.stop());

const tus = { 'Tus-Resumable': '1.0.0' };
const cases: Record<string, Case> = {
  'POST /upload/': { scope: 'write', init: { method: 'POST' }, other: 'own' },
  'POST /upload/url': {
    scope: 'write',
    init: sendJson('POST', { url: 'no address' }),
    other: 'own',
  },
  'POST /upload/sign': { scope: 'write', init: sendJson('POST', {}), other: 'own' },
  'POST /upload/resumable': {
    scope: 'write',
    init: { method: 'POST', headers: { ...tus, 'Upload-Length': '10' } },
    other: 'own',
  },
  'GET /upload/resumable/{upload_id}': { scope: 'write', other: 404 },
  'PATCH /upload/resumable/{upload_id}': {
    scope: 'write',
    init: {
      method: 'PATCH',
      headers: { ...tus, 'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': '0' },
      body: 'x',
    },
    other: 404,
  },
  'DELETE /upload/resumable/{upload_id}': {
    scope: 'write',
    init: { method: 'DELETE', headers: tus },
    other: 404,
  },
  'GET /get/': { scope: 'read', other: 'own' },
  'GET /get/tags': { scope: 'read', path: '/get/tags?tags=private', other: 'own' },
  'GET /get/search': { scope: 'read', path: '/get/search?q=treasure', other: 'own' },
  'GET /get/{object_id}': { scope: 'read', path: '/get/treasure', other: 404 },
  'POST /update/{object_id}': {
    scope: 'write',
    path: '/update/treasure',
    init: sendJson('POST', { tags: ['x'] }),
    other: 404,
  },
  'DELETE /delete/{object_id}': {
    scope: 'write',
    path: '/delete/treasure',
    init: { method: 'DELETE' },
    other: 404,
  },
  'POST /bulk/': {
    scope: 'write',
    init: sendJson('POST', { action: 'delete', objects: ['treasure'] }),
    other: 'own',
  },
  'GET /tags/': { scope: 'read', other: 'own' },
  'GET /folders/': { scope: 'read', other: 'own' },
  'GET /create/{object_id}/{transformation}': {
    scope: 'write',
    path: '/create/treasure/w-3.webp',
    other: 404,
  },
  'GET /user/': { scope: 'read', other: 'own' },
  'PATCH /user/': { scope: 'account', init: sendJson('PATCH', {}), other: 'own' },
  'GET /analysis/': { scope: 'read', other: 'own' },
  'POST /analysis/': { scope: 'account', init: { method: 'POST' }, other: 'own' },
  'POST /keys/': { scope: 'account', init: sendJson('POST', { name: 'k' }), other: 'own' },
  'GET /keys/': { scope: 'account', other: 'own' },
  'DELETE /keys/{key_id}': { scope: 'account', init: { method: 'DELETE' }, other: 404 },
  'POST /keys/{key_id}/rotate': { scope: 'account', init: { method: 'POST' }, other: 404 },
  'POST /webhooks/': {
    scope: 'account',
    init: sendJson('POST', { url: 'https://example.com/hook' }),
    other: 'own',
  },
  'GET /webhooks/': { scope: 'account', other: 'own' },
  'DELETE /webhooks/{webhook_id}': { scope: 'account', init: { method: 'DELETE' }, other: 404 },
  'POST /webhooks/{webhook_id}/rotate': { scope: 'account', init: { method: 'POST' }, other: 404 },
  'POST /webhooks/{webhook_id}/test': { scope: 'account', init: { method: 'POST' }, other: 404 },
  'GET /webhooks/{webhook_id}/deliveries': { scope: 'account', other: 404 },
  'POST /webhooks/{webhook_id}/deliveries/{delivery_id}/resend': {
    scope: 'account',
    init: { method: 'POST' },
    other: 404,
  },
  'POST /accounts/': {
    scope: 'operator',
    init: sendJson('POST', { email: 'new@example.com' }),
    other: 'own',
  },
  'GET /accounts/': { scope: 'operator', other: 'own' },
  'GET /accounts/{account_id}': { scope: 'operator', other: 404 },
  'PATCH /accounts/{account_id}': { scope: 'operator', init: sendJson('PATCH', { tier: 'pro' }), other: 404 },
  'DELETE /accounts/{account_id}': { scope: 'operator', init: { method: 'DELETE' }, other: 404 },
};
/** Answered without a key; they show nothing of any account. */
const publicRoutes = new Set([
  'GET /',
  'GET /dashboard',
  'GET /dashboard/*',
  'GET /health/live',
  'GET /health/ready',
  'GET /metrics',
  'GET /openapi.json',
  'GET /docs',
  'GET /docs/{page}(^[a-z0-9-]+$)',
  'GET /docs/assets/*',
  'GET /docs/images/*',
  'GET /docs/api-reference',
  'GET /docs/start.js',
  'GET /docs/reference.js',
  // What the protocol for uploads can do here.
  'OPTIONS /upload/resumable',
  'OPTIONS /upload/resumable/{upload_id}',
  // A key in the body, or the cookie of a session.
  'POST /session/',
  'GET /session/',
  'DELETE /session/',
  // By signature instead of key.
  'POST /providers/mux/webhook',
  'POST /providers/cloudflare/webhook',
]);
const publicAddresses = 'GET /{bucket_id}/{object_id}/{transformation}';

/** The path of a case, with the ids of the victim. */
async function pathOf(name: string): Promise<string> {
  const { path } = cases[name] as Case;
  if (path) return path;
  const { body } = await server.json('/keys/', { key: victim.api_key });
  return (name.split(' ')[1] as string)
    .replace('{key_id}', body.keys[0].key_id)
    .replace('{webhook_id}', webhookId)
    .replace('{delivery_id}', deliveryId)
    .replace('{upload_id}', uploadId)
    .replace('{account_id}', victim.account_id);
}

async function send(name: string, key: string | null) {
  const { init } = cases[name] as Case;
  const body =
    name === 'POST /upload/'
      ? { body: new Uint8Array(multipart([filePart(file)])), headers: { 'Content-Type': multipartType } }
      : {};
  return server.json(await pathOf(name), { ...init, ...body, key });
}

test('every route of the table has its case here, or is public', async () => {
  const { body } = await server.json('/openapi.json');
  const described = Object.entries<Record<string, unknown>>(body.paths).flatMap(([path, operations]) =>
    Object.keys(operations)
      .filter((method) => method !== 'servers')
      .map((method) => `${method.toUpperCase()} ${path}`),
  );
  const known = [...Object.keys(cases), ...publicRoutes, publicAddresses];
  assert.deepEqual(
    described.filter((route) => !known.includes(route)),
    [],
    'described but without a case',
  );
  const spelling = new Map(known.map((route) => [route.replace(/(?<=\w)\/$/, ''), route]));
  const routes = routeTable(server).map((route) => spelling.get(route) ?? route);
  assert.deepEqual(
    routes.filter((route) => !known.includes(route)),
    [],
    'served but without a case',
  );
  assert.deepEqual(
    Object.keys(cases).filter((route) => !routes.includes(route)),
    [],
    'a case but no such route',
  );
  assert.deepEqual(
    Object.keys(cases).filter((route) => !described.includes(route)),
    [],
    'not described',
  );
});

test('the description says the scope each route needs, and it is the one expected here', async () => {
  const { body } = await server.json('/openapi.json');
  for (const [name, { scope }] of Object.entries(cases)) {
    const [method = '', path = ''] = name.split(' ');
    assert.match(body.paths[path][method.toLowerCase()].description, new RegExp(`scope \`${scope}\``), name);
  }
});

describe('without a key that is good', () => {
  let keys: Record<string, string | null>;
  before(async () => {
    const revoked = await newKey(server, victim.api_key, { scopes: ['read', 'write', 'account'] });
    await server.json(`/keys/${revoked.key_id}`, { method: 'DELETE', key: victim.api_key });
    const rotated = await newKey(server, victim.api_key, {});
    await server.json(`/keys/${rotated.key_id}/rotate`, { method: 'POST', key: victim.api_key });
    const expired = await newKey(server, victim.api_key, {
      expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    });
    await server.app.core.database.write((tx) =>
      tx
        .updateTable('keys')
        .set({ expires_at: Date.now() - 1 })
        .where('key_id', '=', expired.key_id)
        .execute(),
    );
    keys = {
      none: null,
      wrong: 'tt_0123456789abcdef_not_a_key_at_all',
      'a letter changed': victim.api_key.slice(0, -1) + (victim.api_key.endsWith('a') ? 'b' : 'a'),
      revoked: revoked.api_key,
      rotated: rotated.api_key,
      expired: expired.api_key,
    };
  });

  for (const name of Object.keys(cases)) {
    test(`${name} is 401`, async () => {
      for (const [which, key] of Object.entries(keys)) {
        const answer = await send(name, key);
        assert.equal(answer.status, 401, which);
        assertError(answer, 401, { message: 'Invalid or missing API key', code: 'invalid_api_key' });
        assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
      }
    });
  }
});

describe('with too small a scope', () => {
  for (const [name, { scope }] of Object.entries(cases)) {
    test(`${name} is 403 without ${scope}`, async () => {
      const others = scopes.filter((other) => other !== scope && other !== 'operator');
      const { api_key: key } = await newKey(server, victim.api_key, { scopes: others });
      assertError(await send(name, key), 403, { code: 'scope_too_small' });
    });
  }
});

describe('from another account', () => {
  for (const [name, { other, scope }] of Object.entries(cases)) {
    if (scope === 'operator') continue;
    test(`${name} ${other === 404 ? 'is 404' : 'shows and changes only its own'}`, async () => {
      const answer = await send(name, stranger.api_key);
      if (other === 404) assertError(answer, 404);
      const text = JSON.stringify(answer.body);
      for (const secret of [victim.account_id, victim.bucket_id, 'victim@example.com', 'hidden', 'private'])
        assert.ok(!text.includes(secret), `${secret} in ${text}`);
    });
  }

  test('and the victim has lost nothing', async () => {
    const { body } = await server.json('/get/treasure', { key: victim.api_key });
    assert.deepEqual([body.tags, body.folder], [['private'], 'hidden']);
    assert.equal((await server.json('/user/', { key: victim.api_key })).status, 200);
    const upload = await server.call(`/upload/resumable/${uploadId}`, {
      method: 'HEAD',
      headers: tus,
      key: victim.api_key,
    });
    assert.deepEqual([upload.status, upload.headers.get('upload-offset')], [200, '0']);
    const { body: own } = await server.json('/webhooks/', { key: victim.api_key });
    assert.deepEqual(
      own.webhooks.map((webhook: { webhook_id: string }) => webhook.webhook_id),
      [webhookId],
    );
    const { body: log } = await server.json(`/webhooks/${webhookId}/deliveries`, { key: victim.api_key });
    assert.deepEqual(
      log.deliveries.map((delivery: { state: string }) => delivery.state),
      ['delivered'],
    );
  });
});

describe('secrets', () => {
  const aiKey = 'sk-canary-0123456789abcdefghijklmnop';
  const canaries: string[] = [operatorKey, aiKey];
  const answers: string[] = [];

  before(async () => {
    const note = async (path: string, init: Parameters<TestServer['json']>[1]) => {
      const answer = await server.json(path, init);
      if (answer.status >= 400) answers.push(JSON.stringify(answer.body));
      return answer;
    };
    const key = victim.api_key;
    const { body } = await note('/user/', {
      ...sendJson('PATCH', {
        openai_api_key: aiKey,
        webhook_url: 'https://example.com/hook',
        transform_policy: 'signed',
      }),
      key,
    });
    canaries.push(key, stranger.api_key, body.webhook_secret, body.signing_secret);
    const hook = await note('/webhooks/', { ...sendJson('POST', { url: 'https://example.com/other' }), key });
    const renewed = await note(`/webhooks/${hook.body.webhook_id}/rotate`, { method: 'POST', key });
    canaries.push(hook.body.secret, renewed.body.secret);
    const signed = await note('/upload/sign', { ...sendJson('POST', {}), key });
    canaries.push(signed.body.token);
    await note('/get/', { key: signed.body.token });
    await note('/webhooks/', { ...sendJson('POST', { url: `http://127.0.0.1/${key}`, events: [key] }), key });
    const made = await newKey(server, key, {});
    const rotated = await note(`/keys/${made.key_id}/rotate`, { method: 'POST', key });
    canaries.push(made.api_key, rotated.body.api_key);
    assert.ok(canaries.every((canary) => typeof canary === 'string' && canary.length > 20));
    const secrets = sendJson('PATCH', { openai_api_key: aiKey, webhook_url: aiKey, nonsense: aiKey });
    await note('/user/', { ...secrets, key });
    await note('/user/', { ...secrets, key: `${key}x` });
    await note('/user/', {
      method: 'PATCH',
      body: `{"openai_api_key":"${aiKey}"`,
      headers: { 'Content-Type': 'application/json' },
      key,
    });
    await note('/user/', { ...sendJson('PATCH', { openai_api_key: `${aiKey}\n` }), key });
    await note('/accounts/', { key });
    await note('/get/nobody', { key });
    await note(`/get/${key}`, { key });
    await note(`/keys/${key}`, { method: 'DELETE', key });
    await note(`/get/?page=${key}`, { key });
    await note('/get/search?q=x', { key });
  });

  test('records never show them again', async () => {
    for (const path of ['/user/', '/keys/', '/webhooks/', '/get/', '/get/treasure']) {
      const text = JSON.stringify((await server.json(path, { key: victim.api_key })).body);
      for (const canary of canaries) assert.ok(!text.includes(canary), `${canary} in ${path}`);
    }
    for (const path of ['/accounts/', `/accounts/${victim.account_id}`]) {
      const text = JSON.stringify((await server.json(path)).body);
      for (const canary of canaries) assert.ok(!text.includes(canary), `${canary} in ${path}`);
    }
  });

  test('no error body holds one', () => {
    assert.ok(answers.length >= 6);
    for (const canary of canaries)
      assert.deepEqual(
        answers.filter((text) => text.includes(canary)),
        [],
      );
  });

  test('no log line holds one', () => {
    assert.ok(logLines.length > 100);
    for (const canary of canaries)
      assert.deepEqual(
        logLines.filter((line) => line.includes(canary)),
        [],
      );
  });

  test('no file in the data folder holds one, the database and the manifests among them', async () => {
    await eventually(async () => {
      const waiting = await waitingJobs(server.app.core.database).execute();
      assert.deepEqual(waiting, [], 'the manifests are written');
    });
    const files = await everyFile(server);
    assert.ok(
      files.some(({ name }) => name === 'tintype.db') && files.some(({ name }) => name === 'bucket.json'),
    );
    for (const { name, text } of files) {
      for (const canary of canaries) assert.ok(!text.includes(canary), `${canary.slice(0, 12)}… in ${name}`);
    }
  });
});

/** All that is served, HEAD left out, which goes with its GET. Without common prefixes the tree would drop part of wildcards. */
function routeTable({ app }: TestServer): string[] {
  const lines = app.http.printRoutes({ commonPrefix: true, includeHooks: false }).split('\n');
  const path: string[] = [];
  return lines.flatMap((line) => {
    const [, indent = '', rest = ''] = /^([│ ├└─]*)(.*)$/.exec(line) ?? [];
    if (rest === '') return [];
    const depth = indent.length / 4;
    const [, segment = '', methods = ''] = /^(.*?)(?: \(([A-Z, ]+)\))?$/.exec(rest) ?? [];
    path.length = depth - 1;
    path[depth - 1] = segment;
    const whole = path.join('');
    return methods
      .split(', ')
      .filter((method) => method !== '' && method !== 'HEAD')
      .map((method) => `${method} ${whole.replace(/:([a-z_]+)/g, '{$1}')}`);
  });
}
