// Where an account may have its pictures sent, and by which models it is found: its own settings, or else the operator's, also
// when those change between two starts.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { sendJson } from '../support/accounts.ts';
import { assertError } from '../support/assert-error.ts';
import { eventually } from '../support/eventually.ts';
import { startHeldCalls } from '../support/held-calls.ts';
import { insideHosts } from '../support/inside-hosts.ts';
import { startOpenAiStandIn } from '../support/openai-stand-in.ts';
import { picture } from '../support/pictures.ts';
import { type DescribedPictures, idsOf, startDescribedPictures } from '../support/search-server.ts';
import { startServer, type TestServer } from '../support/server.ts';

let dataDir: string;
before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tintype-ai-settings-'));
});
after(() => rm(dataDir, { recursive: true, force: true }));

async function analysed(server: TestServer, count: number, model: string): Promise<void> {
  await eventually(async () => {
    const { body } = await server.json('/analysis/');
    assert.deepEqual([body.analysed, body.waiting, body.model], [count, 0, model], JSON.stringify(body));
  }, 10_000);
}

describe('an address of the account’s own', () => {
  let described: DescribedPictures;
  before(async () => {
    described = await startDescribedPictures();
  });
  after(() => described[Symbol.asyncDispose]());

  test(`${insideHosts.length} spellings of inside are 400, and nothing is kept`, async () => {
    assert.ok(insideHosts.length >= 150);
    const account = await described.account();
    const set = (url: string) => account.send('PATCH', '/user/', { openai_base_url: url });
    const taken: string[] = [];
    for (const host of insideHosts) {
      const { status, body } = await set(`http://${host}/v1`);
      if (status !== 400 || typeof body.error !== 'string') taken.push(`${host}: ${status}`);
    }
    for (const url of ['file:///etc/passwd', 'gopher://example.com/', 'https://user:word@example.com/v1', ''])
      assert.equal((await set(url)).status, 400, url);
    assert.deepEqual(taken, []);
    assert.equal((await account.get('/user/')).body.openai_base_url, null);
    assert.equal((await account.configure({ openai_base_url: 'https://example.com/v1/' })).ai_error, null);
    assert.equal((await account.get('/user/')).body.openai_base_url, 'https://example.com/v1');
  });
});

test('a private address that was allowed once is not connected to when it no longer is', async () => {
  await using provider = await startOpenAiStandIn();
  await using counted = await startHeldCalls(provider.url);
  const folder = join(dataDir, 'private');
  const first = await startServer({ AI_ALLOW_PRIVATE: 'on' }, { dataDir: folder });
  const settings = { ai_analysis: true, openai_api_key: provider.apiKey, openai_base_url: counted.url };
  assert.equal((await first.json('/user/', sendJson('PATCH', settings))).status, 200);
  await first.upload(await picture(9, 9), { object: 'before' });
  await analysed(first, 1, 'openai/text-embedding-3-small@512');
  await first.stop();

  const connections = counted.connections();
  assert.ok(connections > 0);
  await using second = await startServer({}, { dataDir: folder });
  await second.upload(await picture(10, 9), { object: 'after' });
  const told = await eventually(async () => {
    const { body } = await second.json('/user/');
    assert.ok(body.ai_error);
    return body.ai_error as string;
  });
  assert.match(told, /not on the public internet/);
  assertError(await second.json('/get/search?q=grey'), 502, {
    code: 'provider_failed',
    message: /not on the public internet/,
  });
  const { body } = await second.json('/analysis/');
  assert.deepEqual([body.analysed, body.waiting, body.failed], [1, 1, 0]);
  assert.equal(counted.connections(), connections);
});

test('accounts have providers, keys and models of their own beside the operator’s', async () => {
  await using described = await startDescribedPictures({ AI_ALLOW_PRIVATE: 'on' });
  await using own = await startOpenAiStandIn({
    apiKey: 'a-key-of-its-own',
    captionModel: 'eyes',
    embeddingModel: 'words',
    dimensions: 96,
    caption: () => 'As the own model sees it.',
  });
  const usual = await described.account();
  const other = await described.account({
    openai_api_key: own.apiKey,
    openai_base_url: `${own.url}/`,
    openai_caption_model: 'eyes',
    openai_embedding_model: 'words',
    openai_embedding_dimensions: 96,
  });
  await usual.add('mine', 'As the usual model sees it.');
  await other.add('theirs', 'Never said.');
  await Promise.all([usual.analysed(1), other.analysed(1)]);
  assert.equal((await other.get('/analysis/')).body.model, 'openai/words@96');
  assert.equal((await other.get('/get/theirs')).body.caption, 'As the own model sees it.');
  assert.deepEqual(await other.found({ q: 'the own model sees' }), ['theirs']);
  const asked = (provider: typeof own) => provider.requests.map(({ headers }) => headers.authorization);
  assert.deepEqual([...new Set(asked(own))], [`Bearer ${own.apiKey}`]);
  assert.deepEqual([...new Set(asked(described.provider))], [`Bearer ${described.provider.apiKey}`]);
  await other.configure({ openai_embedding_model: 'unknown-words' });
  const error = await eventually(async () => {
    const { body } = await other.get('/user/');
    assert.ok(body.ai_error);
    return body.ai_error as string;
  });
  assert.match(error, /unknown-words/);
});

test('another model of the operator’s at the next start: all are embedded anew, and no caption is asked for', async () => {
  await using provider = await startOpenAiStandIn({ caption: ({ width }) => `Something ${width} wide.` });
  const folder = join(dataDir, 'models');
  const environment = { OPENAI_BASE_URL: provider.url };
  const captions = (): number => provider.requests.filter(({ path }) => path.includes('chat')).length;
  const first = await startServer(environment, { dataDir: folder });
  await first.json('/user/', sendJson('PATCH', { ai_analysis: true, openai_api_key: provider.apiKey }));
  for (const width of [11, 12, 13]) await first.upload(await picture(width, 8), { object: `w${width}` });
  await analysed(first, 3, 'openai/text-embedding-3-small@512');
  await first.stop();
  assert.equal(captions(), 3);

  const second = await startServer(
    { ...environment, OPENAI_EMBEDDING_DIMENSIONS: '64' },
    { dataDir: folder },
  );
  await analysed(second, 3, 'openai/text-embedding-3-small@64');
  const { body } = await second.json('/get/search?q=something+12+wide');
  assert.equal(idsOf(body.objects)[0], 'w12');
  const spaces = await second.app.core.database.read.selectFrom('vectors').select('dimensions').execute();
  assert.deepEqual(
    spaces.map(({ dimensions }) => dimensions),
    [64, 64, 64],
  );
  await second.stop();
  assert.equal(captions(), 3);

  const asked = provider.requests.length;
  await using third = await startServer(
    { ...environment, OPENAI_EMBEDDING_DIMENSIONS: '64' },
    { dataDir: folder },
  );
  await analysed(third, 3, 'openai/text-embedding-3-small@64');
  assert.equal(provider.requests.length, asked, 'a start without a change asks for nothing');
});

test('a mistake of the operator’s that is mended at the next start holds nobody up any longer', async () => {
  await using provider = await startOpenAiStandIn();
  const folder = join(dataDir, 'mended');
  const environment = { OPENAI_BASE_URL: provider.url };
  const wrong = await startServer(
    { ...environment, OPENAI_CAPTION_MODEL: 'no-such-eyes' },
    { dataDir: folder },
  );
  await wrong.json('/user/', sendJson('PATCH', { ai_analysis: true, openai_api_key: provider.apiKey }));
  await wrong.upload(await picture(11, 8), { object: 'one' });
  await eventually(async () => assert.match((await wrong.json('/user/')).body.ai_error, /no-such-eyes/));
  await wrong.stop();
  await using right = await startServer(environment, { dataDir: folder });
  await analysed(right, 1, 'openai/text-embedding-3-small@512');
  assert.equal((await right.json('/user/')).body.ai_error, null);
});

test('a pause that the provider asked for outlives a restart', async () => {
  await using provider = await startOpenAiStandIn();
  const folder = join(dataDir, 'busy');
  const environment = { OPENAI_BASE_URL: provider.url };
  provider.behave({ kind: 'error', status: 429, headers: { 'Retry-After': '3600' } });
  const first = await startServer(environment, { dataDir: folder });
  await first.json('/user/', sendJson('PATCH', { ai_analysis: true, openai_api_key: provider.apiKey }));
  await first.upload(await picture(11, 8), { object: 'one' });
  await eventually(async () => assert.ok((await first.json('/user/')).body.ai_error));
  await first.stop();
  const asked = provider.requests.length;
  await using second = await startServer(environment, { dataDir: folder });
  await second.upload(await picture(12, 8), { object: 'two' });
  await eventually(async () => assert.equal((await second.json('/analysis/')).body.waiting, 2));
  assert.ok(Date.parse((await second.json('/analysis/')).body.paused_until) > Date.now() + 3_000_000);
  assert.equal(provider.requests.length, asked);
});

test('a caption that does not come in time is asked for again', async () => {
  await using described = await startDescribedPictures({ OPENAI_CAPTION_SECONDS: '1' });
  const account = await described.account();
  described.provider.behave({ kind: 'hang' }, { to: '/chat/completions', times: 1 });
  await account.add('late', 'A patient stone.');
  await account.analysed(1);
  const asked = described.provider.requests.filter(({ path }) => path.endsWith('/chat/completions'));
  assert.equal(asked.length, 2);
});
