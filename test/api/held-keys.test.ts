// Uploads take the key they came with from memory and hold it at their commit. Here keys and accounts change behind the
// service's back, so that what it remembers is wrong: nothing may be stored or told under a key that is not good any more.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { hashApiKey } from '../../src/accounts/api-key.ts';
import type { Tx } from '../../src/platform/database/database.ts';
import { newAccount, newKey, sendJson, type TestAccount } from '../support/accounts.ts';
import { assertConsistent, leavesNothing } from '../support/assert-clean.ts';
import { assertError } from '../support/assert-error.ts';
import { eventually } from '../support/eventually.ts';
import { picture } from '../support/pictures.ts';
import { startServer, type TestServer } from '../support/server.ts';

describe('a key that is remembered', () => {
  let server: TestServer;
  let file: Buffer;
  let account: TestAccount;
  let key: string;
  let keyId: string;
  before(async () => {
    server = await startServer();
    file = await picture(20, 10);
  });
  after(() => server.stop());
  beforeEach(async () => {
    account = await newAccount(server);
    ({ api_key: key, key_id: keyId } = await newKey(server, account.api_key, {}));
    assert.equal((await upload()).status, 200, 'it is known now');
  });

  const upload = (headers: Record<string, string> = {}, bytes = file) =>
    server.upload(bytes, {}, { key, headers });
  /** Nobody is told of what changes here. */
  const write = (work: (tx: Tx) => Promise<unknown>) => server.app.core.database.write(work);
  const revoke = () => write((tx) => tx.deleteFrom('keys').where('key_id', '=', keyId).execute());
  const rotate = (graceMs: number) =>
    write((tx) =>
      tx
        .updateTable('keys')
        .set({
          hash: hashApiKey('another'),
          previous_hash: hashApiKey(key),
          previous_until: Date.now() + graceMs,
        })
        .where('key_id', '=', keyId)
        .execute(),
    );
  const setEnabled = (enabled: 0 | 1) =>
    write((tx) =>
      tx.updateTable('accounts').set({ enabled }).where('account_id', '=', account.account_id).execute(),
    );

  test('stores nothing more when it was revoked', async () => {
    await revoke();
    assertError(await leavesNothing(server, () => upload()), 401);
  });

  test('is told nothing but that it was revoked, whatever else is wrong', async () => {
    await server.upload(file, { object: 'taken' }, { key });
    await revoke();
    assertError(await upload({}, Buffer.from('no picture at all')), 401);
    assertError(await server.upload(file, { object: 'taken' }, { key }), 401);
  });

  test('does not get the answer of before it was revoked', async () => {
    const repeat = { 'Idempotency-Key': 'once' };
    const first = await upload(repeat);
    assert.deepEqual((await upload(repeat)).body, first.body);
    await revoke();
    assertError(await upload(repeat), 401);
  });

  test('goes on in the grace after a rotation, and not longer', async () => {
    await rotate(60_000);
    assert.equal((await upload()).status, 200);
    await rotate(-1);
    assertError(await leavesNothing(server, () => upload()), 401);
  });

  test('stores nothing more when its account was disabled', async () => {
    await setEnabled(0);
    assertError(await leavesNothing(server, () => upload()), 403, { code: 'account_disabled' });
  });

  test('is not refused from memory', async () => {
    await server.json(`/accounts/${account.account_id}`, sendJson('PATCH', { enabled: false }));
    assertError(await upload(), 403, { code: 'account_disabled' });
    await setEnabled(1);
    assert.equal((await upload()).status, 200);
  });

  test('ends when it expires', async () => {
    const expiresAt = Date.now() + 2000;
    const limited = await newKey(server, account.api_key, { expires_at: new Date(expiresAt).toISOString() });
    key = limited.api_key;
    assert.equal((await upload()).status, 200);
    await sleep(expiresAt - Date.now() + 100);
    assertError(await upload(), 401);
  });

  test('is read again when its account has changed', async () => {
    const limitOf = async () => (await upload()).headers.get('RateLimit-Policy');
    const before = await limitOf();
    const path = `/accounts/${account.account_id}`;
    const changed = await server.json(path, sendJson('PATCH', { rate_limit_per_minute: 77 }));
    assert.equal(changed.status, 200);
    const now = await limitOf();
    assert.notEqual(now, before);
    assert.match(now as string, /77/);
  });

  test('is held by many at once, and what they store is counted', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => upload()));
    assert.ok(answers.every(({ status }) => status === 200));
    await eventually(() => assertConsistent(server));
  });
});
