// Search by models on this machine, over HTTP: no key, nothing leaves, and what another provider said is not mixed up with it.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { assertError } from '../support/assert-error.ts';
import { eventually } from '../support/eventually.ts';
import { type DescribedPictures, type Searcher, startDescribedPictures } from '../support/search-server.ts';
import { tinyCaptioner, tinyClip, writeModel } from '../support/tiny-models.ts';
import { plain, type Rgb } from '../support/variants.ts';

const colours: Record<string, Rgb> = { red: [255, 0, 0], green: [0, 255, 0], blue: [0, 0, 255] };
const models = { LOCAL_EMBEDDING_MODEL: 'tiny/clip', LOCAL_CAPTION_MODEL: 'tiny/captioner' };
let modelsDir: string;
let described: DescribedPictures;
before(async () => {
  modelsDir = await mkdtemp(join(tmpdir(), 'tintype-models-'));
  await writeModel(modelsDir, 'tiny/clip', tinyClip());
  await writeModel(modelsDir, 'tiny/captioner', tinyCaptioner());
  described = await startDescribedPictures({ MODELS_DIR: modelsDir, ...models });
});
after(async () => {
  await described[Symbol.asyncDispose]();
  await rm(modelsDir, { recursive: true });
});

async function addColours({ api_key: key }: Searcher): Promise<void> {
  for (const [name, colour] of Object.entries(colours)) {
    const { status } = await described.server.upload(
      await plain(40, 30, colour),
      { object: `a-${name}` },
      { key },
    );
    assert.equal(status, 200);
  }
}

const captionsOf = async (account: Searcher): Promise<string[]> =>
  (await account.get('/get/?view=full')).body.items.map((item: { caption: string }) => item.caption);

test('pictures are found by the names of their colours, without a key and without a call', async () => {
  const account = await described.account({ ai_provider: 'local', openai_api_key: null });
  const asked = described.provider.requests.length;
  await addColours(account);
  await account.analysed(3);
  assert.equal((await account.get('/analysis/')).body.model, 'local/tiny/clip');
  for (const name of Object.keys(colours)) assert.deepEqual(await account.found({ q: name }), [`a-${name}`]);
  assert.deepEqual((await captionsOf(account)).toSorted(), [
    'a blue picture',
    'a green picture',
    'a red picture',
  ]);
  const like = await account.search({ like: 'a-red', threshold: '0' });
  assert.deepEqual([like.status, like.body.count], [200, 2]);
  assert.deepEqual(await account.found({ q: 'green', mode: 'hybrid', threshold: '1' }), ['a-green']);
  assert.equal(described.provider.requests.length, asked);
});

test('with the other provider pictures are analysed anew, and each provider keeps to its own captions', async () => {
  const account = await described.account({ ai_provider: 'local' });
  await addColours(account);
  await account.analysed(3);
  const asked = described.provider.requests.length;
  await account.configure({ ai_provider: 'openai' });
  await account.analysed(3);
  assert.match((await account.get('/analysis/')).body.model, /^openai\//);
  assert.deepEqual(
    await captionsOf(account),
    Array.from({ length: 3 }, () => 'Something grey.'),
  );
  assert.equal(described.provider.requests.length, asked + 6, 'a caption and a vector for each');
  assert.equal((await account.found({ q: 'something grey' })).length, 3);
  await account.configure({ ai_provider: 'local' });
  await account.analysed(3);
  assert.ok((await captionsOf(account)).includes('a red picture'));
  assert.deepEqual(await account.found({ q: 'red' }), ['a-red']);
  const words = await described.server.app.core.database.read
    .selectFrom('words')
    .innerJoin('objects', 'objects.generation', 'words.generation')
    .select('text')
    .where('objects.account_id', '=', account.account_id)
    .execute();
  assert.deepEqual([words.length, words.filter(({ text }) => text.includes('grey'))], [3, []]);
});

test('without a model the owner is told which one is missing, and search is a 502 that says so', async () => {
  await using none = await startDescribedPictures({ MODELS_DIR: join(modelsDir, 'nothing-here'), ...models });
  const account = await none.account({ ai_provider: 'local', openai_api_key: null });
  await account.add('waiting', 'Not seen by anybody.');
  const told = await eventually(async () => {
    const { body } = await account.get('/user/');
    assert.ok(body.ai_error);
    return body.ai_error as string;
  });
  assert.match(told, /no model tiny\/clip .*MODELS_DIR/);
  assert.ok(!told.includes(modelsDir), 'no path of this machine');
  assertError(await account.search({ q: 'anything' }), 502, {
    code: 'provider_failed',
    message: /no model tiny\/clip/,
  });
  const { body } = await account.get('/analysis/');
  assert.deepEqual([body.waiting, body.failed], [1, 0]);
  await writeModel(join(modelsDir, 'nothing-here'), 'tiny/clip', tinyClip());
  assert.equal((await account.send('POST', '/analysis/')).body.ai_error, null);
  await account.analysed(1);
  assert.equal(
    (await account.get('/get/waiting')).body.caption ?? null,
    null,
    'no captions without their model',
  );
  assert.equal((await account.search({ q: 'red', threshold: '0' })).body.captions[0], '');
});
