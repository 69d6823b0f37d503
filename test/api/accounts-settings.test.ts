// An account's own settings and secrets, seen from outside over HTTP.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { AppError } from '../../src/platform/errors.ts';
import { type AccountServer, startAccountServer } from '../support/account-server.ts';

let server: AccountServer;
const analysesOtherwise: string[] = [];
before(async () => {
  server = await startAccountServer({
    checkTokens(tokens) {
      if (tokens.includes('bad')) throw new AppError('invalid_transformation', 'Token "bad" is not known');
    },
    async onAiSettingsChanged(tx, account) {
      const row = tx
        .selectFrom('accounts')
        .select('ai_analysis')
        .where('account_id', '=', account.account_id);
      assert.equal((await row.executeTakeFirstOrThrow()).ai_analysis, account.ai_analysis);
      analysesOtherwise.push(account.account_id);
    },
  });
});
after(() => server.close());

describe('PATCH /user/', () => {
  const patch = (key: string, body: unknown) => server.call('PATCH', '/user/', { key, body });

  test('changes each field, and leaves the others', async () => {
    const { api_key: key } = await server.account();
    const changes: [Record<string, unknown>, Record<string, unknown>][] = [
      [{ email: 'b@example.com' }, { email: 'b@example.com' }],
      [{ storage_backend: 'storage' }, { storage_backend: 'storage' }],
      [{ ai_analysis: true }, { ai_analysis: true }],
      [{ ai_provider: 'local' }, { ai_provider: 'local' }],
      [{ openai_api_key: 'sk-something' }, { ai_key_configured: true }],
      [{ openai_api_key: null }, { ai_key_configured: false }],
      [{ openai_base_url: 'https://ai.example.com/v1/' }, { openai_base_url: 'https://ai.example.com/v1' }],
      [{ openai_base_url: null }, { openai_base_url: null }],
      [{ openai_caption_model: 'qwen2.5vl:7b' }, { openai_caption_model: 'qwen2.5vl:7b' }],
      [{ openai_embedding_model: 'nomic-embed-text' }, { openai_embedding_model: 'nomic-embed-text' }],
      [{ openai_embedding_dimensions: 768 }, { openai_embedding_dimensions: 768 }],
      [{ transform_policy: 'presets' }, { transform_policy: 'presets' }],
      [
        { presets: { thumb: 'w-100_h-100', 'a-1': 'gray' } },
        { presets: { thumb: 'w-100_h-100', 'a-1': 'gray' } },
      ],
      [{ presets: { only: 'w-1' } }, { presets: { only: 'w-1' } }],
      [{ presets: null }, { presets: {} }],
      [{}, {}],
      [
        { email: 'c@example.com', ai_analysis: false },
        { email: 'c@example.com', ai_analysis: false },
      ],
    ];
    const expected = (await server.call('GET', '/user/', { key })).body;
    for (const [change, effect] of changes) {
      Object.assign(expected, effect);
      const answer = await patch(key, change);
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(answer.body, expected);
      assert.deepEqual((await server.call('GET', '/user/', { key })).body, expected);
    }
  });

  test('refuses what is wrong with a sentence, and changes nothing', async () => {
    const { api_key: key } = await server.account();
    const before = (await server.call('GET', '/user/', { key })).body;
    const tooMany = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`p${index}`, 'w-1']));
    const wrong: [unknown, RegExp][] = [
      [undefined, /JSON object/],
      ['text', /JSON object/],
      [{ email: null }, /"email" must be/],
      [{ email: 'x' }, /"email" must be/],
      [{ storage_backend: 'tape' }, /"storage_backend" must be files or storage/],
      [{ ai_analysis: 'yes' }, /"ai_analysis" must be true or false/],
      [{ ai_provider: null }, /"ai_provider" must be openai or local/],
      [{ openai_api_key: '' }, /"openai_api_key" must be/],
      [{ openai_api_key: 'a b' }, /"openai_api_key" must be/],
      [{ openai_api_key: 'a\nb' }, /"openai_api_key" must be/],
      [{ openai_api_key: 5 }, /"openai_api_key" must be/],
      [{ openai_base_url: 'http://127.0.0.1:11434/v1' }, /public internet/],
      [{ openai_base_url: 'http://ollama.internal/v1' }, /public internet/],
      [{ openai_base_url: 'https://user:pass@example.com/v1' }, /user name/],
      [{ openai_base_url: 'https://example.com/v1?key=1' }, /without query/],
      [{ openai_base_url: 'file:///etc/passwd' }, /begins with http/],
      [{ openai_base_url: '' }, /"openai_base_url" must be/],
      [{ openai_caption_model: 'a b' }, /"openai_caption_model" must be/],
      [{ openai_embedding_model: '' }, /"openai_embedding_model" must be/],
      [{ openai_embedding_dimensions: 1 }, /from 2 to 4096/],
      [{ openai_embedding_dimensions: 1.5 }, /from 2 to 4096/],
      [{ openai_embedding_dimensions: '512' }, /from 2 to 4096/],
      [{ ai_error: null }, /"ai_error" is not known/],
      [{ transform_policy: 'shut' }, /"transform_policy" must be open, presets or signed/],
      [{ presets: [] }, /"presets" must be an object/],
      [{ presets: tooMany }, /at most 100/],
      [{ presets: { Big: 'w-1' } }, /preset’s name/],
      [{ presets: { '-x': 'w-1' } }, /preset’s name/],
      [{ presets: { ['x'.repeat(33)]: 'w-1' } }, /preset’s name/],
      [{ presets: { x: '' } }, /A preset must be/],
      [{ presets: { x: 5 } }, /A preset must be/],
      [{ presets: { x: 'w-1_bad' } }, /^Preset "x": Token "bad" is not known$/],
      [{ webhook_url: '' }, /"webhook_url" must be/],
      [{ webhook_url: 'ftp://example.com' }, /begins with http/],
      [{ webhook_url: 'http://127.1/' }, /public internet/],
      [{ webhook_url: 'https://user:pass@example.com/' }, /user name/],
      [{ webhook_url: 5 }, /"webhook_url" must be/],
      [{ tier: 'pro' }, /"tier" is not known/],
      [{ storage_limit: 1 }, /"storage_limit" is not known/],
      [{ email: 'good@example.com', constructor: 1 }, /"constructor" is not known|not valid JSON/],
    ];
    for (const [body, sentence] of wrong) {
      const answer = await patch(key, body);
      assert.equal(answer.status, 400, JSON.stringify(body));
      assert.deepEqual(Object.keys(answer.body), ['error']);
      assert.match(answer.body.error as string, sentence);
    }
    assert.deepEqual((await server.call('GET', '/user/', { key })).body, before);
  });

  test('a webhook secret is made with the first address, shown once, and anew after clearing', async () => {
    const { api_key: key } = await server.account();
    const first = await patch(key, { webhook_url: 'https://hooks.example.com/a' });
    const secret = first.body.webhook_secret as string;
    assert.match(secret, /^whsec_[A-Za-z0-9+/]+=*$/);
    assert.ok(Buffer.from(secret.slice(6), 'base64').length >= 24);
    const second = await patch(key, { webhook_url: 'https://hooks.example.com/b' });
    assert.equal(second.body.webhook_url, 'https://hooks.example.com/b');
    assert.ok(!('webhook_secret' in second.body));
    assert.equal((await patch(key, { webhook_url: null })).body.webhook_url, null);
    const third = await patch(key, { webhook_url: 'https://hooks.example.com/c' });
    assert.notEqual(third.body.webhook_secret, secret);
  });

  test('a signing secret is made when the policy becomes signed, and stays for later', async () => {
    const { api_key: key, account_id: id } = await server.account();
    const { signing_secret: secret } = (await patch(key, { transform_policy: 'signed' })).body;
    assert.ok((secret as string).length > 40);
    for (const policy of ['signed', 'open', 'signed'])
      assert.ok(!('signing_secret' in (await patch(key, { transform_policy: policy })).body));
    const row = server.database.read
      .selectFrom('accounts')
      .select('signing_secret_sealed')
      .where('account_id', '=', id);
    const { signing_secret_sealed: sealed } = await row.executeTakeFirstOrThrow();
    assert.equal(server.secretBox.open(sealed as string), secret);
  });

  test('whatever changes how pictures are analysed is told once, in the transaction', async () => {
    const { api_key: key, account_id: id } = await server.account();
    const times = (): number => analysesOtherwise.filter((each) => each === id).length;
    await patch(key, { ai_analysis: true });
    await patch(key, { ai_analysis: true });
    await patch(key, { email: 'd@example.com', ai_provider: 'openai' });
    assert.equal(times(), 1);
    const changes = [
      { ai_analysis: false },
      { openai_api_key: 'sk-one' },
      // The same again: it may have come to life meanwhile.
      { openai_api_key: 'sk-one' },
      { openai_base_url: 'https://ai.example.com/v1/' },
      { openai_caption_model: 'llava', openai_embedding_model: 'nomic-embed-text' },
      { openai_embedding_dimensions: 768 },
      { ai_provider: 'local' },
    ];
    for (const change of changes) await patch(key, change);
    assert.equal(times(), 1 + changes.length);
  });

  test('changes only the caller’s own account', async () => {
    const [one, other] = [await server.account(), await server.account()];
    await patch(one.api_key, { email: 'mine@example.com', presets: { mine: 'w-1' } });
    const seen = (await server.call('GET', '/user/', { key: other.api_key })).body;
    assert.deepEqual([seen.email, seen.presets], ['someone@example.com', {}]);
  });
});

describe('secrets', () => {
  test('are found in no answer, not on disk and not in the log', async () => {
    const made = await server.account();
    const key = made.api_key;
    const canary = 'sk-canary-4242424242424242';
    const answers = [
      await server.call('PATCH', '/user/', { key, body: { openai_api_key: canary } }),
      await server.call('PATCH', '/user/', { key, body: { openai_api_key: `${canary} ` } }),
      await server.call('GET', '/user/', { key }),
      await server.call('GET', '/keys/', { key }),
      await server.call('GET', '/accounts/'),
      await server.call('GET', '/user/', { key: `${key}x` }),
    ];
    const settings = { webhook_url: 'https://hooks.example.com/', transform_policy: 'signed' };
    const { webhook_secret: webhook, signing_secret: signing } = (
      await server.call('PATCH', '/user/', { key, body: settings })
    ).body;
    answers.push(
      await server.call('GET', '/user/', { key }),
      await server.call('PATCH', '/user/', { key, body: settings }),
    );
    const everything = [...answers.map(({ text }) => text), await server.traces()].join('\n');
    assert.ok(everything.includes(made.bucket_id));
    for (const secret of [canary, key, webhook, signing, server.operatorKey])
      assert.ok(!everything.includes(secret as string));
  });
});
