// How much is asked of a provider, and when: no more in a minute than the operator allows, nothing before it says, little
// while it is down, and one account's trouble is nobody else's.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { type HeldPictures, nextLookAt, startHeldPictures } from '../support/held-pictures.ts';
import { startOpenAiStandIn } from '../support/openai-stand-in.ts';
import type { Searcher } from '../support/search-server.ts';

const captioning = '/chat/completions';

async function addAll(account: Searcher, count: number): Promise<void> {
  for (let index = 0; index < count; index++) await account.add(`p${index}`, `Thing number${index}.`);
}

describe('with five pictures a minute', () => {
  let pictures: HeldPictures;
  before(async () => {
    pictures = await startHeldPictures({ ANALYSES_PER_MINUTE: '5' });
  });
  after(() => pictures[Symbol.asyncDispose]());

  test('five of eight are begun, the rest waits for the next minute, and another account does not', async () => {
    const account = await pictures.account({ ai_analysis: false });
    await addAll(account, 8);
    const startedAt = Date.now();
    await account.configure({ ai_analysis: true });
    await account.analysed(5);
    const next = await eventually(async () => {
      const at = await nextLookAt(pictures, account.account_id);
      assert.ok(at !== null && at > Date.now() + 30_000, String(at));
      return at;
    });
    assert.ok(next >= startedAt + 60_000 && next <= Date.now() + 60_000);
    // Whoever asks again does not get more.
    assert.equal((await account.send('POST', '/analysis/')).body.waiting, 3);
    await account.add('later', 'One more.');
    await eventually(async () => {
      const { body } = await account.get('/analysis/');
      assert.deepEqual([body.analysed, body.waiting, body.paused_until, body.ai_error], [5, 4, null, null]);
      const at = await nextLookAt(pictures, account.account_id);
      assert.ok(at !== null && at >= startedAt + 60_000);
    });
    assert.equal(pictures.calls.calls.filter(({ path }) => path.endsWith(captioning)).length, 5);

    const other = await pictures.account();
    await addAll(other, 2);
    await other.analysed(2);
  });
});

describe('a provider', () => {
  let pictures: HeldPictures;
  before(async () => {
    pictures = await startHeldPictures();
  });
  after(() => pictures[Symbol.asyncDispose]());

  const tooMany = (seconds: number) =>
    ({ kind: 'error', status: 429, headers: { 'Retry-After': String(seconds) } }) as const;

  test('that does not answer one account leaves others alone', async () => {
    const hanging = await pictures.account();
    pictures.calls.hold(captioning);
    await addAll(hanging, 12);
    await pictures.calls.held(2);
    const other = await pictures.account();
    await other.add('other', 'Somebody else.');
    await pictures.calls.held(3);
    pictures.calls.release();
    await Promise.all([hanging.analysed(12), other.analysed(1)]);
  });

  test('that says when to come back is not asked before, though other calls succeed meanwhile', async () => {
    const account = await pictures.account({ ai_analysis: false });
    await addAll(account, 5);
    pictures.calls.hold(captioning);
    await account.configure({ ai_analysis: true });
    await pictures.calls.held(2);
    pictures.provider.behave(tooMany(2), { to: captioning, times: 1 });
    pictures.calls.release(1);
    const pausedUntil = await pausedUntilOf(account, 0);
    pictures.calls.release();
    await account.analysed(1);
    assert.equal(await pausedUntilOf(account, 0), pausedUntil, 'a success does not shorten it');
    assert.equal((await account.get('/user/')).body.ai_error, null, 'it is too short to be told of');
    const before = pictures.calls.calls.length;
    await account.analysed(5);
    const next = pictures.calls.calls[before];
    assert.ok(next && next.atMs >= pausedUntil, `${pausedUntil - (next?.atMs ?? 0)} ms too early`);
    await eventually(async () => assert.equal((await account.get('/analysis/')).body.paused_until, null));
  });

  test('that asks for more time while it is left alone gets it', async () => {
    const account = await pictures.account({ ai_analysis: false });
    await addAll(account, 3);
    pictures.calls.hold(captioning);
    await account.configure({ ai_analysis: true });
    await pictures.calls.held(2);
    pictures.provider.behave(tooMany(30), { to: captioning, times: 1 });
    pictures.calls.release(1);
    const first = await pausedUntilOf(account, 0);
    pictures.provider.behave(tooMany(600), { to: captioning, times: 1 });
    pictures.calls.release();
    const second = await pausedUntilOf(account, first);
    assert.ok(second > Date.now() + 590_000);
    assert.match((await account.get('/user/')).body.ai_error, /asked too often/);
    assert.equal((await account.send('POST', '/analysis/')).body.paused_until, null);
    await account.analysed(3);
    assert.equal((await account.get('/user/')).body.ai_error, null);
  });

  test('that is down is left alone after a few calls, asked again by itself, and everything is done then', async () => {
    const port = Number(new URL(pictures.provider.url).port) || 0;
    assert.ok(port > 0);
    const account = await pictures.account({ ai_analysis: false });
    await addAll(account, 12);
    await pictures.provider.close();
    const before = pictures.calls.calls.length;
    await account.configure({ ai_analysis: true });
    const pausedUntil = await pausedUntilOf(account, 0);
    assert.ok(pausedUntil <= Date.now() + 60_000);
    assert.ok(pictures.calls.calls.length - before < 12, 'not one call for every picture');
    await eventually(async () => {
      assert.equal(await nextLookAt(pictures, account.account_id), pausedUntil, 'it comes back by itself');
    });
    await using again = await startOpenAiStandIn({ port });
    await account.send('POST', '/analysis/');
    await account.analysed(12);
    const { body } = await account.get('/analysis/');
    assert.deepEqual([body.failed, body.ai_error, body.paused_until], [0, null, null]);
    assert.ok(again.requests.length >= 24);
  });
});

/** Once it is later than that. */
async function pausedUntilOf(account: Searcher, laterThan: number): Promise<number> {
  return eventually(async () => {
    const until = Date.parse((await account.get('/analysis/')).body.paused_until);
    assert.ok(until > laterThan, String(until));
    return until;
  });
}
