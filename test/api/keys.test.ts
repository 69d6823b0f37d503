// Making, listing, revoking and rotating keys, seen from outside over HTTP.
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { after, before, describe, test } from 'node:test';
import { revokeKey } from '../../src/accounts/keys.ts';
import { openSqliteDatabase } from '../../src/platform/database/sqlite/sqlite-database.ts';
import { type AccountServer, startAccountServer } from '../support/account-server.ts';

let server: AccountServer;
before(async () => {
  server = await startAccountServer();
});
after(() => server.close());

const userStatus = async (key: string): Promise<number> =>
  (await server.call('GET', '/user/', { key })).status;

describe('/keys/', () => {
  test('POST shows the key once, GET never again', async () => {
    const { api_key: owner } = await server.account();
    const expires = new Date(Date.now() + 3_600_000).toISOString();
    const body = { name: 'deploy', scopes: ['write'], expires_at: expires };
    const made = await server.call('POST', '/keys/', { key: owner, body });
    assert.equal(made.status, 200);
    const { key_id: keyId, api_key: apiKey, created_at: createdAt, ...rest } = made.body;
    assert.deepEqual(rest, { name: 'deploy', scopes: ['write'], expires_at: expires });
    assert.match(keyId as string, /^[0-9A-Za-z]{12}$/);
    assert.ok((apiKey as string).startsWith(`tt_${String(keyId)}`));
    const listed = await server.call('GET', '/keys/', { key: owner });
    const { keys } = listed.body as { keys: Record<string, unknown>[] };
    assert.equal(keys.length, 2);
    assert.deepEqual(keys[1], { key_id: keyId, ...rest, created_at: createdAt, last_used_at: null });
    assert.ok(!listed.text.includes('tt_') && !listed.text.includes('hash'));
  });

  test('a key made without scopes has read and write, and does not expire', async () => {
    const { api_key: owner } = await server.account();
    const made = (await server.call('POST', '/keys/', { key: owner, body: { name: 'x' } })).body;
    assert.deepEqual([made.scopes, made.expires_at], [['read', 'write'], null]);
  });

  test('wrong fields are 400 with a sentence', async () => {
    const name = 'x';
    const wrong: [unknown, RegExp][] = [
      [undefined, /JSON object/],
      [{}, /"name" must be a text/],
      [{ name: '' }, /"name" must be a text/],
      [{ name: 'a\nb' }, /"name" must be a text/],
      [{ name: 'x'.repeat(101) }, /"name" must be a text/],
      [{ name, scopes: [] }, /"scopes" must be a list of read, write/],
      [{ name, scopes: 'read' }, /"scopes" must be a list/],
      [{ name, scopes: ['admin'] }, /"scopes" must be a list/],
      [{ name, expires_at: 'soon' }, /"expires_at" must be an ISO 8601 time in the future/],
      [{ name, expires_at: 1_999_999_999 }, /"expires_at" must be/],
      [{ name, expires_at: '2020-01-01T00:00:00Z' }, /"expires_at" must be/],
      [{ name, expires_at: '2999-02-30T00:00:00Z' }, /"expires_at" must be/],
      [{ name, key: 'mine' }, /"key" is not known/],
    ];
    for (const [body, sentence] of wrong) {
      const answer = await server.call('POST', '/keys/', { body });
      assert.equal(answer.status, 400, JSON.stringify(body));
      assert.match(answer.body.error as string, sentence);
    }
  });

  test('an expired key is 401 from that moment on', async () => {
    const expiresAt = Date.now() + 3000;
    const body = { name: 'short', expires_at: new Date(expiresAt).toISOString() };
    const { api_key: key, key_id: keyId } = (await server.call('POST', '/keys/', { body })).body;
    assert.equal(await userStatus(key as string), 200);
    await wait(expiresAt - Date.now() + 100);
    assert.equal(await userStatus(key as string), 401);
    assert.equal((await server.call('POST', `/keys/${String(keyId)}/rotate`)).status, 409);
  });

  test('revoking acts at once', async () => {
    const { api_key: owner } = await server.account();
    const { key_id: keyId, api_key: key } = await server.key(owner, ['read']);
    assert.equal(await userStatus(key), 200);
    const revoked = await server.call('DELETE', `/keys/${keyId}`, { key: owner });
    assert.deepEqual(revoked.body, { key_id: keyId, status: 'success' });
    assert.equal(await userStatus(key), 401);
    const again = await server.call('DELETE', `/keys/${keyId}`, { key: owner });
    assert.deepEqual([again.status, again.body], [404, { error: 'Key not found' }]);
  });

  test('revoking acts at once also when another process does it', async () => {
    const owner = await server.account();
    const { key_id: keyId, api_key: key } = await server.key(owner.api_key, ['read']);
    assert.equal(await userStatus(key), 200);
    const elsewhere = openSqliteDatabase(server.databaseFile);
    await revokeKey(elsewhere, owner, { asOperator: true }, keyId);
    assert.equal(await userStatus(key), 401);
    await elsewhere.close();
  });

  test('rotating without grace ends the old secret at once', async () => {
    const { api_key: owner } = await server.account();
    const old = await server.key(owner, ['read']);
    const rotated = await server.call('POST', `/keys/${old.key_id}/rotate`, { key: owner });
    assert.equal(rotated.body.key_id, old.key_id);
    assert.deepEqual(
      Object.keys(rotated.body).sort(),
      'api_key created_at expires_at key_id name scopes'.split(' '),
    );
    assert.equal(await userStatus(old.api_key), 401);
    assert.equal(await userStatus(rotated.body.api_key as string), 200);
  });

  test('rotating with grace keeps the old secret that long, and only the last one', async () => {
    const { api_key: owner } = await server.account();
    const first = await server.key(owner, ['read']);
    const rotate = async (graceSeconds: number): Promise<string> => {
      const request = { key: owner, body: { grace_seconds: graceSeconds } };
      return (await server.call('POST', `/keys/${first.key_id}/rotate`, request)).body.api_key as string;
    };
    const second = await rotate(60);
    assert.deepEqual([await userStatus(first.api_key), await userStatus(second)], [200, 200]);
    const third = await rotate(1);
    const all = [first.api_key, second, third];
    assert.deepEqual(await Promise.all(all.map(userStatus)), [401, 200, 200]);
    await wait(1100);
    assert.deepEqual(await Promise.all(all.map(userStatus)), [401, 401, 200]);
  });

  test('the grace is a whole number of at most 30 days', async () => {
    const { api_key: owner } = await server.account();
    const { key_id: keyId } = await server.key(owner, ['read']);
    for (const grace of [-1, 1.5, 2_592_001, '60', null]) {
      const request = { key: owner, body: { grace_seconds: grace } };
      const answer = await server.call('POST', `/keys/${keyId}/rotate`, request);
      assert.equal(answer.status, 400);
      assert.match(answer.body.error as string, /"grace_seconds" must be a whole number from 0 to 2592000/);
    }
    const most = { key: owner, body: { grace_seconds: 2_592_000 } };
    assert.equal((await server.call('POST', `/keys/${keyId}/rotate`, most)).status, 200);
  });

  test('nobody sees or touches another account’s keys', async () => {
    const [one, other] = [await server.account(), await server.account()];
    const theirs = await server.key(one.api_key, ['read']);
    for (const key of [other.api_key, server.operatorKey]) {
      assert.equal((await server.call('DELETE', `/keys/${theirs.key_id}`, { key })).status, 404);
      assert.equal((await server.call('POST', `/keys/${theirs.key_id}/rotate`, { key })).status, 404);
      assert.ok(!(await server.call('GET', '/keys/', { key })).text.includes(theirs.key_id));
    }
    assert.equal(await userStatus(theirs.api_key), 200);
  });

  test('nobody without the operator’s scope comes by a key that has it', async () => {
    const { api_key: ordinary } = await server.account();
    const { api_key: helper } = await server.key(server.operatorKey, ['account']);
    const operator = await server.key(server.operatorKey, ['operator']);
    const body = { name: 'x', scopes: ['read', 'operator'] };
    for (const key of [ordinary, helper])
      assert.equal((await server.call('POST', '/keys/', { key, body })).status, 403);
    assert.equal((await server.call('POST', `/keys/${operator.key_id}/rotate`, { key: helper })).status, 403);
    assert.equal((await server.call('DELETE', `/keys/${operator.key_id}`, { key: helper })).status, 403);
    assert.equal(await userStatus(operator.api_key), 200);
    assert.equal((await server.call('DELETE', `/keys/${operator.key_id}`)).status, 200);
  });

  test('last use is noted soon, and not with every request', async () => {
    const { api_key: owner } = await server.account();
    const { key_id: keyId, api_key: key } = await server.key(owner, ['read']);
    const lastUse = async (): Promise<unknown> => {
      const { keys } = (await server.call('GET', '/keys/', { key: owner })).body as {
        keys: Record<string, unknown>[];
      };
      return keys.find(({ key_id: id }) => id === keyId)?.last_used_at;
    };
    assert.equal(await lastUse(), null);
    await userStatus(key);
    await wait(100);
    const noted = await lastUse();
    assert.ok(Math.abs(Date.parse(noted as string) - Date.now()) < 10_000);
    await userStatus(key);
    await wait(100);
    assert.equal(await lastUse(), noted);
  });
});
