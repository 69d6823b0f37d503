// Pages that sign in with a key and are known by a cookie: to nobody else's use, and no longer than the key is good.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newAccount, newKey, sendJson, type TestAccount } from '../support/accounts.ts';
import { assertError } from '../support/assert-error.ts';
import { operatorKey, startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let account: TestAccount;
const logLines: string[] = [];
before(async () => {
  server = await startServer({}, { logLines });
  account = await newAccount(server);
});
after(() => server.stop());

const page = { 'X-Tintype-Page': '1' };

async function signIn(apiKey: string): Promise<string> {
  const asked = sendJson('POST', { api_key: apiKey });
  const answer = await server.json('/session/', {
    ...asked,
    headers: { ...asked.headers, ...page },
    key: null,
  });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return cookieIn(answer.headers);
}

const cookieIn = (headers: Headers): string => (headers.get('set-cookie') ?? '').split(';', 1)[0] as string;
const withCookie = (cookie: string, more: Record<string, string> = page) => ({
  key: null,
  headers: { Cookie: cookie, ...more },
});
const asUser = (cookie: string, more?: Record<string, string>) =>
  server.json('/user/', withCookie(cookie, more));

test('signed in, the cookie stands for the key', async () => {
  const asked = sendJson('POST', { api_key: account.api_key });
  const { body, headers } = await server.json('/session/', {
    ...asked,
    headers: { ...asked.headers, ...page },
    key: null,
  });
  const cookie = headers.get('set-cookie') ?? '';
  assert.match(cookie, /^tintype_session=[\w.-]+; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict$/);
  assert.ok(!cookie.includes(account.api_key));
  assert.deepEqual(body.scopes, ['read', 'write', 'account']);
  const { status, body: user, headers: seen } = await asUser(cookieIn(headers));
  assert.equal(status, 200);
  for (const each of [headers, seen]) assert.equal(each.get('cache-control'), 'private, no-store');
  assert.equal(user.account_id, account.account_id);
});

test('it is renewed by looking at it, and ended by signing out', async () => {
  const cookie = await signIn(account.api_key);
  const { status, headers } = await server.json('/session/', withCookie(cookie));
  assert.equal(status, 200);
  assert.equal((await asUser(cookieIn(headers))).status, 200);
  const left = await server.json('/session/', { method: 'DELETE', ...withCookie(cookie) });
  assert.match(left.headers.get('set-cookie') ?? '', /^tintype_session=; Path=\/; Max-Age=0; HttpOnly/);
});

test('what another site’s page could send is refused', async () => {
  const cookie = await signIn(account.api_key);
  assertError(await asUser(cookie, {}), 401);
  assertError(await asUser(cookie, { ...page, 'Sec-Fetch-Site': 'cross-site' }), 401);
  assertError(await asUser(cookie, { ...page, 'Sec-Fetch-Site': 'same-site' }), 401);
  assert.equal((await asUser(cookie, { ...page, 'Sec-Fetch-Site': 'same-origin' })).status, 200);
  const form = await server.json('/session/', {
    method: 'POST',
    body: new URLSearchParams({ api_key: account.api_key }),
    key: null,
  });
  assert.equal(form.status, 415);
  assertError(
    await server.json('/session/', { ...sendJson('POST', { api_key: account.api_key }), key: null }),
    400,
  );
  assertError(await server.json('/session/', { method: 'DELETE', key: null }), 400);
});

test('no page of another origin is ever allowed to bring the cookie', async () => {
  const { headers } = await server.json('/user/', {
    key: null,
    headers: { ...page, Origin: 'https://evil.example' },
  });
  assert.equal(headers.get('access-control-allow-credentials'), null);
  assert.equal(headers.get('access-control-allow-origin'), null);
});

test('a key that is not good does not sign in', async () => {
  const { api_key: key } = await newKey(server, account.api_key, {});
  for (const apiKey of ['', 'nonsense', `${key.slice(0, -1)}x`, 'k'.repeat(200)]) {
    const asked = sendJson('POST', { api_key: apiKey });
    assertError(
      await server.json('/session/', { ...asked, headers: { ...asked.headers, ...page }, key: null }),
      401,
      { code: 'invalid_api_key' },
    );
  }
  const asked = sendJson('POST', { api_key: 5 });
  assertError(
    await server.json('/session/', { ...asked, headers: { ...asked.headers, ...page }, key: null }),
    400,
  );
});

test('revoked, rotated or expired, the key takes its sessions along', async () => {
  const revoked = await newKey(server, account.api_key, { scopes: ['read'] });
  const ofRevoked = await signIn(revoked.api_key);
  assert.equal((await asUser(ofRevoked)).status, 200);
  await server.json(`/keys/${revoked.key_id}`, { method: 'DELETE', key: account.api_key });
  assertError(await asUser(ofRevoked), 401);
  assertError(await server.json('/session/', withCookie(ofRevoked)), 401);

  const rotated = await newKey(server, account.api_key, {});
  const ofRotated = await signIn(rotated.api_key);
  const rotate = (graceSeconds: number) =>
    server.json(`/keys/${rotated.key_id}/rotate`, {
      ...sendJson('POST', { grace_seconds: graceSeconds }),
      key: account.api_key,
    });
  await rotate(60);
  assert.equal((await asUser(ofRotated)).status, 200);
  await rotate(0);
  assertError(await asUser(ofRotated), 401);
});

test('scopes hold for sessions as for keys', async () => {
  const { api_key: key } = await newKey(server, account.api_key, { scopes: ['read'] });
  const cookie = await signIn(key);
  const change = { ...sendJson('PATCH', {}), ...withCookie(cookie) };
  assertError(
    await server.json('/user/', {
      ...change,
      headers: { ...change.headers, 'Content-Type': 'application/json' },
    }),
    403,
    { code: 'scope_too_small' },
  );
});

test('a cookie that was changed, sealed for something else, or made elsewhere opens nothing', async () => {
  const cookie = await signIn(account.api_key);
  // Not the very last one, some bits of which may stand for nothing.
  const changed = `${cookie.slice(0, -2)}${cookie.at(-2) === 'A' ? 'B' : 'A'}${cookie.at(-1)}`;
  assertError(await asUser(changed), 401);
  const { secretBox } = server.app.core;
  const [keyId, far] = [account.api_key.slice(3, 15), Date.now() + 1e9];
  const now = Date.now();
  for (const note of [
    '',
    `other ${keyId} x ${far} ${now}`,
    `session ${keyId} x ${far} ${now}`,
    `session ${keyId} x ${far}`,
    `session ${keyId}`,
  ])
    assertError(await asUser(`tintype_session=${secretBox.seal(note)}`), 401);
  assertError(await asUser('tintype_session=nonsense'), 401);
});

/** The same session, but for its times. */
function withTimes(cookie: string, expiresAt: number, signedInAt: number): string {
  const { secretBox } = server.app.core;
  const [kind, keyId, mark] = secretBox.open(cookie.slice(cookie.indexOf('=') + 1)).split(' ');
  return `tintype_session=${secretBox.seal([kind, keyId, mark, expiresAt, signedInAt].join(' '))}`;
}

test('an expired session is 401', async () => {
  const cookie = await signIn(account.api_key);
  assert.equal((await asUser(withTimes(cookie, Date.now() + 10_000, Date.now()))).status, 200);
  assertError(await asUser(withTimes(cookie, Date.now() - 1, Date.now())), 401);
});

test('looking at it renews it for seven days, and never beyond thirty after signing in', async () => {
  const [hourMs, dayMs] = [3_600_000, 86_400_000];
  const cookie = await signIn(account.api_key);
  const now = Date.now();
  const renewed = async (signedInAt: number) => {
    const { status, body, headers } = await server.json(
      '/session/',
      withCookie(withTimes(cookie, now + hourMs, signedInAt)),
    );
    assert.equal(status, 200);
    const [, maxAge] = /Max-Age=(\d+);/.exec(headers.get('set-cookie') ?? '') ?? [];
    return { cookie: cookieIn(headers), expiresAt: Date.parse(body.expires_at), maxAge: Number(maxAge) };
  };
  assert.equal((await renewed(now - 20 * dayMs)).maxAge, 7 * 24 * 3600);
  const last = await renewed(now - 30 * dayMs + hourMs);
  assert.equal(last.expiresAt, now + hourMs);
  assert.ok(last.maxAge <= 3600 && last.maxAge > 3000, String(last.maxAge));
  const again = await server.json('/session/', withCookie(last.cookie));
  assert.equal(Date.parse(again.body.expires_at), now + hourMs);
});

test('a key beside the cookie is what counts', async () => {
  const cookie = await signIn(account.api_key);
  const { body } = await server.json('/user/', { headers: { Cookie: cookie, ...page }, key: operatorKey });
  assert.notEqual(body.account_id, account.account_id);
  assertError(await server.json('/user/', { headers: { Cookie: cookie, ...page }, key: 'wrong' }), 401);
});

test('neither key nor cookie is in the log', async () => {
  const cookie = await signIn(account.api_key);
  await asUser(cookie);
  const text = logLines.join('\n');
  assert.ok(!text.includes(account.api_key));
  assert.ok(!text.includes(cookie.slice(20)));
});

test('over https the cookie travels by https alone, under a name that no neighbour can plant', async () => {
  await using secure = await startServer({ BASE_URL: 'https://media.example.com' });
  const asked = sendJson('POST', { api_key: operatorKey });
  const { headers } = await secure.json('/session/', {
    ...asked,
    headers: { ...asked.headers, ...page },
    key: null,
  });
  const set = headers.get('set-cookie') ?? '';
  assert.match(
    set,
    /^__Host-tintype_session=[\w.-]+; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict; Secure$/,
  );
  const cookie = cookieIn(headers);
  assert.equal((await secure.json('/user/', withCookie(`other=1; ${cookie}`))).status, 200);
  assertError(await secure.json('/user/', withCookie(cookie.replace('__Host-', ''))), 401);
  const left = await secure.json('/session/', { method: 'DELETE', ...withCookie(cookie) });
  assert.match(left.headers.get('set-cookie') ?? '', /^__Host-tintype_session=; .*Max-Age=0;.*; Secure$/);
});

test('by plain http the other name opens nothing', async () => {
  const cookie = await signIn(account.api_key);
  assertError(await asUser(`__Host-${cookie}`), 401);
});
