// What happens to a picture, its tags and its account's settings while its provider is being asked: nothing is left behind,
// told of twice, or judged by settings that are no more.
import assert from 'node:assert/strict';
import type { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { ObjectManifest } from '../../src/objects/manifests.ts';
import { manifestKey } from '../../src/objects/object-keys.ts';
import { sendJson } from '../support/accounts.ts';
import { assertError } from '../support/assert-error.ts';
import { eventually } from '../support/eventually.ts';
import { type HeldPictures, keptOf, nextLookAt, startHeldPictures } from '../support/held-pictures.ts';
import { type Receiver, startReceiver } from '../support/receivers.ts';
import { idsOf, type Searcher } from '../support/search-server.ts';
import { generationOf, prepared, variantFiles } from '../support/variants.ts';
import { waitingJobs } from '../support/waiting-jobs.ts';

const captioning = '/chat/completions';
const embedding = '/embeddings';
let pictures: HeldPictures;
let receiver: Receiver;
let account: Searcher;

before(async () => {
  pictures = await startHeldPictures();
  receiver = await startReceiver();
});
after(async () => {
  await pictures[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});
beforeEach(async () => {
  pictures.calls.release();
  account = await pictures.account();
  await account.send('POST', '/webhooks/', { url: receiver.url, events: ['image.analyzed'] });
});

const callsOf = (path: string): number =>
  pictures.calls.calls.filter((call) => call.path.endsWith(path)).length;
const eventsOf = async (): Promise<{ object_id: string; tags: string[] }[]> => {
  const { read } = pictures.server.app.core.database;
  await eventually(async () =>
    assert.deepEqual(await read.selectFrom('events').select('type').execute(), [], 'all are handed out'),
  );
  const rows = await read
    .selectFrom('webhook_deliveries')
    .innerJoin('webhooks', 'webhooks.webhook_id', 'webhook_deliveries.webhook_id')
    .select('webhook_deliveries.body')
    .where('webhooks.account_id', '=', account.account_id)
    .execute();
  return rows.map(({ body }) => JSON.parse(body).data);
};
/** What was asked for meanwhile has been looked at. */
const onlyAnalysisWaits = (): Promise<void> =>
  eventually(async () => {
    const waiting = waitingJobs(pictures.server.app.core.database);
    assert.deepEqual(
      (await waiting.execute()).map(({ kind }) => kind),
      ['analyse-account'],
    );
  });
const hybrid = (q: string): Promise<string[]> => account.found({ q, mode: 'hybrid', threshold: '1' });

describe('while the provider is asked about a picture', () => {
  test('it is deleted: no vector, no words, no small copy, no event', async () => {
    for (const path of [captioning, embedding]) {
      pictures.calls.hold(path);
      await account.add('gone', 'A door that closes.');
      await pictures.calls.held(1);
      const generation = await generationOf(pictures.server, 'gone');
      assert.ok((await variantFiles(pictures.server, 'cache', generation)).length > 0);
      assert.equal((await account.send('DELETE', '/delete/gone')).status, 200);
      pictures.calls.release();
      await prepared(pictures.server);
      const { vectors, words, analyses } = await keptOf(pictures, account.account_id);
      assert.deepEqual([vectors, words, analyses], [[], [], []]);
      assert.deepEqual(await variantFiles(pictures.server, 'cache', generation), []);
      assert.deepEqual(await eventsOf(), []);
    }
    await account.add('gone', 'Another door by the same name.');
    await account.analysed(1);
    assert.equal((await account.get('/get/gone')).body.caption, 'Another door by the same name.');
    assert.equal((await eventsOf()).length, 1);
  });

  test('analysis is switched off: nothing of the answer is kept, and it is asked again when it is on', async () => {
    const nothingIsKept = async (): Promise<void> => {
      await prepared(pictures.server);
      assert.equal((await account.get('/get/late')).body.caption ?? null, null);
      assert.deepEqual((await keptOf(pictures, account.account_id)).vectors, []);
    };
    pictures.calls.hold(embedding);
    await account.add('late', 'A late train.');
    await pictures.calls.held(1);
    // As a rule the answer comes before the change is noticed.
    await account.configure({ ai_analysis: false });
    pictures.calls.release();
    await nothingIsKept();
    // The change is noticed before the answer comes.
    pictures.calls.hold(embedding);
    await account.configure({ ai_analysis: true });
    await pictures.calls.held(1);
    await account.configure({ ai_analysis: false });
    await nothingIsKept();
    pictures.calls.release();
    assertError(await account.search({ q: 'train' }), 403, { code: 'analysis_off' });
    await account.configure({ ai_analysis: true });
    await account.analysed(1);
    assert.equal((await eventsOf()).length, 1);
  });

  test('the account is disabled: no other picture is begun before it is enabled again', async () => {
    const enable = (enabled: boolean) =>
      pictures.server.json(`/accounts/${account.account_id}`, sendJson('PATCH', { enabled }));
    const before = callsOf(captioning);
    pictures.calls.hold(captioning);
    for (const id of ['one', 'two', 'three']) await account.add(id, `Number ${id}.`);
    await pictures.calls.held(2);
    assert.equal((await enable(false)).status, 200);
    const lookAt = await eventually(async () => {
      const at = await nextLookAt(pictures, account.account_id);
      assert.ok(at !== null && at > Date.now() + 30_000, 'it is looked at again by itself');
      return at;
    });
    assert.ok(lookAt <= Date.now() + 60_000);
    pictures.calls.release();
    assert.equal(callsOf(captioning), before + 2);
    assert.equal((await enable(true)).status, 200);
    // A minute has passed.
    await pictures.server.app.core.database.write((tx) =>
      tx.updateTable('jobs').set({ run_at: Date.now() }).where('key', '=', account.account_id).execute(),
    );
    await account.analysed(3);
  });

  test('the key is replaced: the refusal of the old one does not hold up the new one', async () => {
    await account.configure({ openai_api_key: 'sk-old-and-refused' });
    pictures.calls.hold(captioning);
    await account.add('locked', 'A door with a new lock.');
    await pictures.calls.held(1);
    await account.configure({ openai_api_key: pictures.provider.apiKey });
    pictures.calls.release();
    await account.analysed(1);
    const { body } = await account.get('/analysis/');
    assert.deepEqual([body.ai_error, body.paused_until, body.failed], [null, null, 0]);
    assert.equal((await account.get('/user/')).body.ai_error, null);
  });

  test('the key is replaced after the caption came: it is paid for once, and written down', async () => {
    const before = callsOf(captioning);
    pictures.calls.hold(embedding);
    await account.add('once', 'A candle that burns once.');
    await pictures.calls.held(1);
    await account.configure({ openai_api_key: pictures.provider.apiKey });
    await pictures.calls.held(2);
    const { stores } = pictures.server.app.core;
    const key = manifestKey(account.bucket_id, await generationOf(pictures.server, 'once'));
    await eventually(async () => {
      const manifest = await json((await stores.files.get(key)) as Readable);
      assert.equal((manifest as ObjectManifest).object.caption, 'A candle that burns once.');
    });
    pictures.calls.release();
    await account.analysed(1);
    assert.equal(callsOf(captioning), before + 1);
    assert.equal((await account.get('/get/once')).body.caption, 'A candle that burns once.');
  });

  test('another provider is chosen after the caption came: it is not kept', async () => {
    pictures.calls.hold(embedding);
    await account.add('left', 'A house that was left.');
    await pictures.calls.held(1);
    await account.configure({ ai_provider: 'local' });
    // It has no model here, which shows that it was its turn.
    await eventually(async () => assert.notEqual((await account.get('/analysis/')).body.paused_until, null));
    const { caption = null } = (await account.get('/get/left')).body;
    await account.configure({ ai_provider: 'openai' });
    pictures.calls.release();
    await account.analysed(1);
    assert.equal(caption, null);
  });

  test('the provider is replaced: nobody waits for an answer of the one before', async () => {
    pictures.provider.behave({ kind: 'hang' }, { to: captioning, times: 1 });
    await account.add('silent', 'A very long pause.');
    const before = callsOf(captioning);
    await eventually(() => assert.equal(callsOf(captioning), before + 1));
    await account.configure({ openai_api_key: pictures.provider.apiKey });
    await account.analysed(1, 3000);
    assert.equal((await eventsOf()).length, 1);
  });

  test('other settings are replaced: what went wrong before is not held against the picture', async () => {
    pictures.provider.behave({ kind: 'error', status: 500 }, { to: captioning, times: 1 });
    pictures.calls.hold(captioning);
    await account.add('moved', 'A house on wheels.');
    await pictures.calls.held(1);
    await account.configure({ openai_caption_model: pictures.provider.captionModel });
    await onlyAnalysisWaits();
    pictures.calls.release();
    // One that is held against it shows for longer than a second.
    const attempts = new Set<number>();
    await eventually(async () => {
      const waiting = pictures.server.app.core.database.read.selectFrom('analyses').select('attempts');
      const row = await waiting.where('account_id', '=', account.account_id).executeTakeFirst();
      if (row) attempts.add(row.attempts);
      assert.equal(row, undefined);
    }, 10_000);
    assert.deepEqual(
      [...attempts].filter((count) => count > 0),
      [],
    );
    await account.analysed(1);
  });

  test('the model is replaced: no vector of the old one is kept', async () => {
    pictures.calls.hold(embedding);
    for (const id of ['first', 'second']) await account.add(id, `The ${id} of two.`);
    await pictures.calls.held(2);
    await account.configure({ openai_embedding_dimensions: 128 });
    pictures.calls.release();
    await account.analysed(2);
    const { vectors } = await keptOf(pictures, account.account_id);
    const spaces = vectors.map(({ model, dimensions }) => `${model} ${dimensions}`);
    assert.deepEqual([...new Set(spaces)], ['openai/text-embedding-3-small@128 128']);
    assert.equal((await eventsOf()).length, 2);
  });

  test('its tags are changed: the new ones are told of, and found, and the old ones are not', async () => {
    pictures.calls.hold(embedding);
    await account.add('tagged', 'A grey pebble.', { tags: 'quarry' });
    await pictures.calls.held(1);
    await account.send('POST', '/update/tagged', { tags: ['beach'] });
    pictures.calls.release();
    await account.analysed(1);
    assert.deepEqual(
      (await eventsOf()).map(({ tags }) => tags),
      [['beach']],
    );
    await prepared(pictures.server);
    assert.deepEqual([await hybrid('beach'), await hybrid('quarry')], [['tagged'], []]);
  });

  test('it is asked for again and again: the provider is asked once, and its end is told of once', async () => {
    const before = [callsOf(captioning), callsOf(embedding)];
    pictures.calls.hold(captioning);
    await account.add('once', 'A single candle.');
    await pictures.calls.held(1);
    for (let time = 0; time < 5; time++) {
      assert.equal((await account.send('POST', '/analysis/')).status, 200);
      await account.send('POST', '/update/once', { tags: [`time-${time}`] });
    }
    await onlyAnalysisWaits();
    pictures.calls.release();
    await account.analysed(1);
    await prepared(pictures.server);
    assert.deepEqual([callsOf(captioning), callsOf(embedding)], [before[0]! + 1, before[1]! + 1]);
    assert.equal((await eventsOf()).length, 1);
  });
});

test('30 uploads and 10 deletions at once: the 20 that stay are found, and nothing of the others is left', async () => {
  const ids = Array.from({ length: 30 }, (_, index) => `many-${index}`);
  await Promise.all(
    ids.map(async (id, index) => {
      await account.add(id, `One of many, number${index}.`);
      if (index % 3 === 0) assert.equal((await account.send('DELETE', `/delete/${id}`)).status, 200);
    }),
  );
  await account.analysed(20, 30_000);
  await prepared(pictures.server);
  const staying = ids.filter((_, index) => index % 3 !== 0).toSorted();
  const { body } = await account.search({ q: 'one of many', threshold: '0', limit: '100' });
  assert.deepEqual(idsOf(body.objects).toSorted(), staying);
  const { vectors, words, analyses } = await keptOf(pictures, account.account_id);
  assert.deepEqual([vectors.length, words.length, analyses], [20, 20, []]);
  const copies = await variantFiles(pictures.server, 'cache', account.bucket_id);
  const living = new Set(vectors.map(({ generation }) => generation));
  assert.deepEqual(
    copies.filter((path) => ![...living].some((generation) => path.includes(generation))),
    [],
  );
  const told = (await eventsOf()).map((data) => data.object_id);
  assert.deepEqual(
    staying.filter((id) => told.filter((each) => each === id).length !== 1),
    [],
  );
});

test('tags that are changed while analysis is off are the ones found when it is on again', async () => {
  await account.add('stone', 'A grey pebble.', { tags: 'quarry' });
  await account.analysed(1);
  await account.configure({ ai_analysis: false });
  await account.send('POST', '/update/stone', { tags: ['museum'] });
  await prepared(pictures.server);
  await account.configure({ ai_analysis: true });
  assert.deepEqual([await hybrid('museum'), await hybrid('quarry')], [['stone'], []]);
});

test('like: a picture that is yet to be analysed by the account’s new model is 409', async () => {
  for (const id of ['left', 'right']) await account.add(id, `The ${id} shoe.`);
  await account.analysed(2);
  pictures.calls.hold(embedding);
  await account.configure({ openai_embedding_dimensions: 64 });
  await pictures.calls.held(2);
  assertError(await account.search({ like: 'left' }), 409, {
    code: 'conflict',
    message: /not been analysed/,
  });
  pictures.calls.release();
  await account.analysed(2);
  assert.deepEqual(await account.found({ like: 'left', threshold: '0' }), ['right']);
});
