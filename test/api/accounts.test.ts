// Accounts and the operator who keeps them, seen from outside over HTTP.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ensureOperatorAccount } from '../../src/accounts/accounts.ts';
import { type AccountServer, startAccountServer } from '../support/account-server.ts';

const recordFields =
  `account_id email tier bucket_id storage_backend storage_used storage_limit video_minutes_used
  video_minutes_limit object_count rate_limit_per_minute ai_analysis ai_provider ai_key_configured ai_error openai_base_url openai_caption_model openai_embedding_model
  openai_embedding_dimensions transform_policy
  presets webhook_url created_at`.split(/\s+/);
const week = 7 * 24 * 3_600_000;

let server: AccountServer;
before(async () => {
  server = await startAccountServer();
});
after(() => server.close());

function jobsOf(key: string) {
  return server.database.read.selectFrom('jobs').selectAll().where('key', '=', key).execute();
}

describe('the operator’s account', () => {
  test('has no limits and may do everything on itself', async () => {
    const { status, body } = await server.call('GET', '/user/');
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body), recordFields);
    assert.equal(body.tier, 'enterprise');
    assert.equal(body.email, 'operator@localhost');
    for (const limit of ['storage_limit', 'video_minutes_limit', 'rate_limit_per_minute'])
      assert.equal(body[limit], null);
  });

  test('cannot disable or delete itself', async () => {
    const { account_id: own } = (await server.call('GET', '/user/')).body;
    assert.equal((await server.call('DELETE', `/accounts/${String(own)}`)).status, 409);
    const answer = await server.call('PATCH', `/accounts/${String(own)}`, { body: { enabled: false } });
    assert.equal(answer.status, 409);
    assert.equal((await server.call('GET', '/user/')).status, 200);
  });

  test('a chosen key is taken as it is, can be rotated, and is used at the first start only', async () => {
    const bootstrapKey = 'correct-horse/battery+staple=42!';
    const other = await startAccountServer({ bootstrapKey });
    try {
      assert.equal((await other.call('GET', '/user/', { key: bootstrapKey })).status, 200);
      assert.equal((await other.call('GET', '/user/', { key: `${bootstrapKey}x` })).status, 401);
      const later = { bootstrapKey: 'a key given at a later start' };
      assert.deepEqual(await ensureOperatorAccount(other.database, later), { created: false });
      assert.equal((await other.call('GET', '/user/', { key: later.bootstrapKey })).status, 401);
      const keys = (await other.call('GET', '/keys/')).body.keys as { key_id: string }[];
      const path = `/keys/${keys[0]?.key_id}/rotate`;
      const rotated = await other.call('POST', path, { body: { grace_seconds: 60 } });
      assert.equal((await other.call('GET', '/user/', { key: rotated.body.api_key as string })).status, 200);
      assert.equal((await other.call('GET', '/user/', { key: bootstrapKey })).status, 200);
      const again = await other.call('POST', path);
      assert.equal((await other.call('GET', '/user/', { key: bootstrapKey })).status, 401);
      assert.equal((await other.call('GET', '/user/', { key: again.body.api_key as string })).status, 200);
    } finally {
      await other.close();
    }
  });
});

describe('POST /accounts/', () => {
  test('answers the record and a key with read, write and account', async () => {
    const { status, body } = await server.call('POST', '/accounts/', { body: { email: 'new@example.com' } });
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body), [...recordFields, 'api_key']);
    assert.match(body.account_id as string, /^acc_[0-9a-f]{16}$/);
    assert.match(body.bucket_id as string, /^[0-9a-f]{16}$/);
    const { api_key: key, account_id, bucket_id, created_at, ...rest } = body;
    assert.ok(account_id && bucket_id && new Date(created_at as string).toISOString() === created_at);
    assert.deepEqual(rest, {
      email: 'new@example.com',
      tier: 'free',
      storage_backend: 'files',
      storage_used: 0,
      storage_limit: 102_400,
      video_minutes_used: 0,
      video_minutes_limit: 30,
      object_count: 0,
      rate_limit_per_minute: 120,
      ai_analysis: false,
      ai_provider: 'openai',
      ai_key_configured: false,
      ai_error: null,
      openai_base_url: null,
      openai_caption_model: null,
      openai_embedding_model: null,
      openai_embedding_dimensions: null,
      transform_policy: 'open',
      presets: {},
      webhook_url: null,
    });
    const keys = (await server.call('GET', '/keys/', { key: key as string })).body.keys as {
      scopes: string[];
    }[];
    assert.deepEqual(keys[0]?.scopes, ['read', 'write', 'account']);
    assert.deepEqual(
      (await jobsOf(bucket_id as string)).map(({ kind }) => kind),
      ['bucket-manifest'],
    );
  });

  test('limits may be fractions, and null follows the tier', async () => {
    const body = {
      email: 'a@b.c',
      tier: 'pro',
      storage_limit: 0.75,
      video_minutes_limit: 1.5,
      rate_limit_per_minute: 90.5,
    };
    const made = (await server.call('POST', '/accounts/', { body: { ...body, variants_per_minute: 0.25 } }))
      .body;
    assert.deepEqual(
      [made.storage_limit, made.video_minutes_limit, made.rate_limit_per_minute],
      [0.75, 1.5, 90.5],
    );
    const none = { email: 'a@b.c', tier: 'enterprise', storage_limit: null, rate_limit_per_minute: null };
    assert.equal((await server.call('POST', '/accounts/', { body: none })).body.storage_limit, null);
  });

  test('wrong fields are 400 with a sentence', async () => {
    const email = 'a@b.c';
    const wrong: [unknown, RegExp][] = [
      [undefined, /JSON object/],
      [[], /JSON object/],
      [{}, /"email" must be an e-mail address/],
      [{ email: 'nobody' }, /"email" must be an e-mail/],
      [{ email: 'a@b,c@d' }, /"email" must be an e-mail/],
      [{ email: 'a@b\r\nBcc: c@d' }, /"email" must be an e-mail/],
      [{ email: 7 }, /"email" must be an e-mail/],
      [{ email: `${'a'.repeat(260)}@b` }, /"email" must be an e-mail/],
      [{ email, tier: 'gold' }, /"tier" must be free, pro or enterprise/],
      [{ email, storage_limit: -1 }, /"storage_limit" must be a number/],
      [{ email, storage_limit: '10' }, /"storage_limit" must be a number/],
      [{ email, storage_limit: 1e300 }, /"storage_limit" must be a number/],
      [{ email, video_minutes_limit: -0.1 }, /"video_minutes_limit" must be a number/],
      [{ email, rate_limit_per_minute: 0 }, /"rate_limit_per_minute" must be a number/],
      [{ email, variants_per_minute: {} }, /"variants_per_minute" must be a number/],
      [{ email, colour: 'red' }, /"colour" is not known/],
    ];
    for (const [body, sentence] of wrong) {
      const answer = await server.call('POST', '/accounts/', { body });
      assert.equal(answer.status, 400, answer.text);
      assert.deepEqual(Object.keys(answer.body), ['error']);
      assert.match(answer.body.error as string, sentence);
    }
  });
});

describe('changing and deleting accounts', () => {
  test('PATCH changes tier and limits, null gives a limit back to the tier', async () => {
    const made = await server.account({ storage_limit: 10 });
    const path = `/accounts/${made.account_id}`;
    const pro = (await server.call('PATCH', path, { body: { tier: 'pro' } })).body;
    assert.deepEqual([pro.tier, pro.storage_limit, pro.rate_limit_per_minute], ['pro', 10, 1200]);
    assert.deepEqual(Object.keys(pro), [...recordFields, 'variants_per_minute', 'enabled', 'erase_at']);
    const back = (await server.call('PATCH', path, { body: { storage_limit: null, variants_per_minute: 5 } }))
      .body;
    assert.deepEqual([back.storage_limit, back.variants_per_minute], [10_485_760, 5]);
    assert.equal((await server.call('PATCH', path, { body: {} })).status, 200);
    assert.equal((await server.call('PATCH', path, { body: { email: 'x@y.z' } })).status, 400);
    assert.equal((await server.call('PATCH', path, { body: { enabled: 1 } })).status, 400);
    assert.deepEqual((await server.call('GET', path)).body, back);
    for (const method of ['GET', 'DELETE', 'PATCH']) {
      const gone = await server.call(
        method,
        '/accounts/acc_0',
        method === 'PATCH' ? { body: { tier: 'pro' } } : {},
      );
      assert.deepEqual([gone.status, gone.body], [404, { error: 'Account not found' }]);
    }
  });

  test('GET lists all accounts', async () => {
    const made = await server.account();
    const { accounts } = (await server.call('GET', '/accounts')).body as {
      accounts: Record<string, unknown>[];
    };
    const listed = accounts.find(({ account_id: id }) => id === made.account_id);
    assert.equal(listed?.enabled, true);
    assert.equal(listed.erase_at, null);
  });

  test('a disabled account’s keys are 403 until it is enabled', async () => {
    const made = await server.account();
    const path = `/accounts/${made.account_id}`;
    await server.call('PATCH', path, { body: { enabled: false } });
    const refused = await server.call('GET', '/user/', { key: made.api_key });
    assert.deepEqual([refused.status, refused.headers.get('x-error-code')], [403, 'account_disabled']);
    await server.call('PATCH', path, { body: { enabled: true } });
    assert.equal((await server.call('GET', '/user/', { key: made.api_key })).status, 200);
  });

  test('DELETE disables at once, erases in a week, and can be undone', async () => {
    const made = await server.account();
    const path = `/accounts/${made.account_id}`;
    const deleted = await server.call('DELETE', path);
    assert.deepEqual(Object.keys(deleted.body), ['account_id', 'status', 'erase_at']);
    const eraseAt = Date.parse(deleted.body.erase_at as string);
    assert.ok(Math.abs(eraseAt - Date.now() - week) < 60_000);
    assert.equal((await server.call('GET', '/user/', { key: made.api_key })).status, 403);
    const [job] = await jobsOf(made.account_id);
    assert.deepEqual([job?.kind, job?.run_at], ['erase-account', eraseAt]);
    assert.equal((await server.call('DELETE', path)).body.erase_at, deleted.body.erase_at);
    const undone = (await server.call('PATCH', path, { body: { enabled: true } })).body;
    assert.deepEqual([undone.enabled, undone.erase_at], [true, null]);
    assert.equal((await server.call('GET', '/user/', { key: made.api_key })).status, 200);
  });

  test('every change is announced and asks for a new manifest; reading is not and does not', async () => {
    const made = await server.account();
    const heard: string[] = [];
    server.database.listen('account', (bucketId) => heard.push(bucketId));
    const revision = async (): Promise<number> => (await jobsOf(made.bucket_id))[0]?.revision as number;
    const { account_id: id, bucket_id: bucket, api_key: key } = made;
    const { key_id: keyId } = await server.key(key, ['read']);
    const changes: (() => Promise<unknown>)[] = [
      () => server.call('PATCH', `/accounts/${id}`, { body: { tier: 'pro' } }),
      () => server.call('PATCH', '/user/', { key, body: { email: 'other@example.com' } }),
      () => server.key(key, ['read']),
      () => server.call('POST', `/keys/${keyId}/rotate`, { key }),
      () => server.call('DELETE', `/keys/${keyId}`, { key }),
      () => server.call('DELETE', `/accounts/${id}`),
      () => server.call('PATCH', `/accounts/${id}`, { body: { enabled: true } }),
    ];
    for (const change of changes) {
      const before = await revision();
      heard.length = 0;
      await change();
      assert.deepEqual(heard, [bucket]);
      assert.equal(await revision(), before + 1);
    }
    const before = await revision();
    heard.length = 0;
    await server.call('GET', '/user/', { key });
    await server.call('PATCH', '/user/', { key, body: {} });
    await server.call('PATCH', '/user/', { key, body: { email: 'not an address' } });
    assert.deepEqual(heard, []);
    assert.equal(await revision(), before);
  });
});
