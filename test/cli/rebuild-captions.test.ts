// A lost database: captions come back from the files, and pictures are found again without being looked at again.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { sendJson } from '../support/accounts.ts';
import { eventually } from '../support/eventually.ts';
import { startOpenAiStandIn } from '../support/openai-stand-in.ts';
import { picture } from '../support/pictures.ts';
import { idsOf } from '../support/search-server.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { prepared } from '../support/variants.ts';
import { runJson } from './run-cli.ts';

const captions = ['A red boat.', 'Ein grünes Fahrrad – ganz neu.', '青い犬と "猫"\nin two lines'];

test('after rebuild captions are equal, and pictures are found after the next start', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tintype-rebuild-captions-'));
  await using provider = await startOpenAiStandIn({ caption: ({ width }) => captions[width - 20] });
  const settings = {
    DATA_DIR: dataDir,
    BASE_URL: 'http://tintype.test',
    OPENAI_BASE_URL: provider.url,
  };
  const start = (): Promise<TestServer> => startServer(settings, { dataDir });
  const asked = (path: string): number =>
    provider.requests.filter((request) => request.path.endsWith(path)).length;
  const view = async (server: TestServer) => (await server.json('/get/?view=full')).body;
  const analysed = (server: TestServer, count: number) =>
    eventually(async () => {
      const { body } = await server.json('/analysis/');
      assert.deepEqual([body.analysed, body.waiting], [count, 0], JSON.stringify(body));
    }, 15_000);

  const first = await start();
  const own = { ai_analysis: true, openai_api_key: provider.apiKey, openai_embedding_dimensions: 128 };
  await first.json('/user/', sendJson('PATCH', own));
  for (const index of captions.keys())
    await first.upload(await picture(20 + index, 12), { object: `p${index}`, tags: `tag-${index}` });
  await analysed(first, captions.length);
  await prepared(first);
  const before = await view(first);
  const user = (await first.json('/user/')).body;
  assert.deepEqual(
    before.items.map((item: { caption: string }) => item.caption),
    captions.toReversed().map((caption) => caption.trim()),
  );
  await first.stop();

  for (const suffix of ['', '-wal', '-shm']) await rm(join(dataDir, `tintype.db${suffix}`), { force: true });
  assert.deepEqual((await runJson(['rebuild'], settings)).problems, []);
  const counts = [asked('/chat/completions'), asked('/embeddings')];
  await using second = await start();
  assert.deepEqual(await view(second), before);
  assert.deepEqual((await second.json('/user/')).body, user);
  await analysed(second, captions.length);
  assert.deepEqual([asked('/chat/completions'), asked('/embeddings')], [counts[0], counts[1]! + 3]);
  const found = async (query: string) => idsOf((await second.json(`/get/search?${query}`)).body.objects);
  assert.deepEqual(await found('q=red+boat'), ['p0']);
  assert.deepEqual(await found('q=tag-2&mode=hybrid&threshold=1'), ['p2']);
  await prepared(second);
  assert.deepEqual(await view(second), before);
  await second.stop();
  await rm(dataDir, { recursive: true });
});
