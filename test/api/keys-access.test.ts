// What every route asks of a key, its scopes and its account's request rate, seen from outside over HTTP.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { allScopes, operatorScopes } from '../../src/accounts/scopes.ts';
import type { Scope } from '../../src/platform/http/http-server.ts';
import { type AccountServer, type Answer, startAccountServer } from '../support/account-server.ts';

let server: AccountServer;
before(async () => {
  server = await startAccountServer();
});
after(() => server.close());

function assertUnauthorized(answer: Answer): void {
  assert.equal(answer.status, 401);
  assert.deepEqual(answer.body, { error: 'Invalid or missing API key' });
  assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
  assert.equal(answer.headers.get('x-error-code'), 'invalid_api_key');
  assert.equal(answer.headers.get('ratelimit'), null);
}

const userStatus = async (key: string): Promise<number> =>
  (await server.call('GET', '/user/', { key })).status;

describe('every route', () => {
  test('needs a good key, whatever else is wrong with the request', async () => {
    const expired = await server.key(server.operatorKey, [...operatorScopes]);
    await server.database.write((tx) =>
      tx.updateTable('keys').set({ expires_at: Date.now() }).where('key_id', '=', expired.key_id).execute(),
    );
    const revoked = await server.key(server.operatorKey, [...operatorScopes]);
    await server.call('DELETE', `/keys/${revoked.key_id}`);
    const good = server.operatorKey;
    const headers: Record<string, string>[] = [
      {},
      { Authorization: '' },
      { Authorization: 'Bearer' },
      { Authorization: 'Bearer ' },
      { Authorization: good },
      { Authorization: `Basic ${good}` },
      { Authorization: `Bearer ${good}x` },
      { Authorization: `Bearer ${good.slice(0, -1)}` },
      { Authorization: `Bearer ${good} ${good}` },
      { Authorization: `Bearer ${good.toLowerCase()}` },
      { Authorization: `Bearer ${'x'.repeat(5000)}` },
      { Authorization: `Bearer ${expired.api_key}` },
      { Authorization: `Bearer ${revoked.api_key}` },
      { 'X-Api-Key': good },
    ];
    for (const { method, url, scope } of server.routes.filter((route) => route.method !== 'HEAD')) {
      const path = url.replace(/:\w+/, 'x');
      for (const each of headers) {
        const answer = await server.call(method, path, { key: null, headers: each });
        if (scope === 'public') assert.equal(answer.status, 200);
        else assertUnauthorized(answer);
      }
    }
  });

  test('needs its scope and no other; the operator’s scope is enough for all', async () => {
    const keys = new Map<Scope, string>();
    for (const scope of allScopes) keys.set(scope, (await server.key(server.operatorKey, [scope])).api_key);
    for (const { method, url, scope: needed } of server.routes.filter((route) => route.method !== 'HEAD')) {
      const path = url.replace(/:\w+/, 'x');
      for (const [scope, key] of keys) {
        const answer = await server.call(method, path, { key });
        const may = needed === 'public' || scope === needed || scope === 'operator';
        assert.equal(answer.status === 403, !may, `${method} ${url} with ${scope}: ${answer.text}`);
        if (may) continue;
        assert.equal(answer.headers.get('x-error-code'), 'scope_too_small');
        assert.match(answer.body.error as string, new RegExp(`"${needed}"`));
      }
    }
  });

  test('takes the scheme in any case and its key at /v1/ too', async () => {
    for (const scheme of ['bearer', 'BEARER', 'bEaReR'])
      for (const path of ['/user/', '/user', '/v1/user/', '/v1/user']) {
        const headers = { Authorization: `${scheme} ${server.operatorKey}` };
        assert.equal((await server.call('GET', path, { key: null, headers })).status, 200);
      }
  });

  test('unknown addresses need no key to be 404', async () => {
    assert.equal((await server.call('GET', '/nothing/', { key: null })).status, 404);
    assert.equal((await server.call('PUT', '/user/', { key: null })).status, 405);
  });
});

describe('request rate', () => {
  test('exactly the limit passes, then 429 says when to come back', async () => {
    const { api_key: key } = await server.account({ rate_limit_per_minute: 10 });
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => server.call('GET', '/user/', { key })),
    );
    const [passed, refused] = [200, 429].map((status) =>
      answers.filter((answer) => answer.status === status),
    );
    assert.deepEqual([passed?.length, refused?.length], [10, 20]);
    for (const { body, headers } of refused ?? []) {
      assert.deepEqual(body, { error: 'Rate limit exceeded' });
      const seconds = Number(headers.get('retry-after'));
      assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60);
      assert.equal(headers.get('ratelimit-policy'), '"api";q=10;w=60');
      assert.match(headers.get('ratelimit') ?? '', /^"api";r=0;t=\d+$/);
      assert.equal(headers.get('ratelimit-remaining'), '0');
    }
    const left = (passed ?? []).map(({ headers }) => Number(headers.get('ratelimit-remaining')));
    assert.deepEqual(
      left.toSorted((a, b) => a - b),
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    );
    for (const { headers } of passed ?? []) assert.equal(headers.get('ratelimit-limit'), '10');
  });

  test('counts an account’s keys together, and no other account’s', async () => {
    const { api_key: key } = await server.account({ rate_limit_per_minute: 3 });
    const { api_key: second } = await server.key(key, ['read']);
    assert.deepEqual(
      [await userStatus(key), await userStatus(second), await userStatus(second)],
      [200, 200, 429],
    );
    assert.equal(await userStatus((await server.account()).api_key), 200);
  });

  test('never hides a bad key or too small a scope', async () => {
    const { api_key: key } = await server.account({ rate_limit_per_minute: 0.5 });
    assert.deepEqual([await userStatus(key), await userStatus(key)], [200, 429]);
    assertUnauthorized(await server.call('GET', '/user/', { key: `${key}x` }));
    assert.equal((await server.call('GET', '/accounts/', { key })).status, 403);
  });

  test('a changed limit holds from the next request on, and enterprise has none', async () => {
    const made = await server.account({ rate_limit_per_minute: 1 });
    const path = `/accounts/${made.account_id}`;
    assert.deepEqual([await userStatus(made.api_key), await userStatus(made.api_key)], [200, 429]);
    await server.call('PATCH', path, { body: { rate_limit_per_minute: 5 } });
    assert.equal(await userStatus(made.api_key), 200);
    await server.call('PATCH', path, { body: { rate_limit_per_minute: null, tier: 'enterprise' } });
    const free = await server.call('GET', '/user/', { key: made.api_key });
    assert.deepEqual([free.status, free.headers.get('ratelimit')], [200, null]);
  });
});
