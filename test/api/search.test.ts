// Search as an application uses it: what is found and in which order, what is refused, and that nobody sees what is not theirs.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newKey } from '../support/accounts.ts';
import { assertError } from '../support/assert-error.ts';
import type { Mode } from '../support/openai-stand-in.ts';
import { type DescribedPictures, type Searcher, startDescribedPictures } from '../support/search-server.ts';

let described: DescribedPictures;
let account: Searcher;
before(async () => {
  described = await startDescribedPictures();
  account = await described.account();
  const library: [string, string, Record<string, string>?, string?][] = [
    ['boat', 'red boat calm lake', { tags: 'holiday,water', folder: 'summer' }],
    ['ship', 'large ship stormy sea', { tags: 'water', folder: 'summer' }, 'IMG_2041.jpg'],
    ['tree', 'green tree on a hill', { tags: 'holiday' }],
    ['dog', 'brown dog asleep in a kitchen', { folder: 'home' }],
  ];
  for (const [id, caption, fields, fileName] of library) await account.add(id, caption, fields, fileName);
  await account.analysed(library.length);
});
after(() => described[Symbol.asyncDispose]());

const search = (query: string) => described.server.json(`/get/search${query}`, { key: account.api_key });
const qMissing = { message: 'Query parameter "q" is required' };

describe('what is refused', () => {
  test('without a key it is 401, without the scope 403, whatever is asked', async () => {
    assertError(await described.server.json('/get/search', { key: null }), 401);
    const { api_key: key } = await newKey(described.server, account.api_key, { scopes: ['write'] });
    assertError(await described.server.json('/get/search', { key }), 403, { code: 'scope_too_small' });
  });

  test('a missing or blank q is 400 before everything else', async () => {
    for (const query of [
      '',
      '?q=',
      '?q=%20%09',
      '?q=%C2%A0',
      '?q=%E2%80%8B%EF%BB%BF',
      `?q=${'+'.repeat(10_000)}`,
      '?threshold=9&limit=0',
      '?q=&threshold=x',
      '?query=sea',
    ])
      assertError(await search(query), 400, qMissing);
  });

  test('q that is too long or holds control characters, and numbers out of range, are 400', async () => {
    for (const length of [501, 10_000])
      assertError(await search(`?q=${'x'.repeat(length)}`), 400, { message: /500 characters/ });
    for (const q of ['a%00b', 'a%0Ab', 'a%1Bb', 'a%7Fb', 'a%C2%85b'])
      assertError(await search(`?q=${q}`), 400, { message: /control characters/ });
    for (const threshold of ['-0.1', '1.1', 'x', '', 'NaN', '0.5&threshold=0.6'])
      assertError(await search(`?q=sea&threshold=${threshold}`), 400, {
        message: 'Query parameter "threshold" must be a number from 0 to 1',
      });
    for (const limit of ['0', '101', '-1', '1.5', 'x', ''])
      assertError(await search(`?q=sea&limit=${limit}`), 400, {
        message: 'Query parameter "limit" must be a whole number from 1 to 100',
      });
    assertError(await search('?q=a&q=b'), 400);
    assertError(await search('?q=a&like=boat'), 400, { message: /either "q" or "like"/ });
    assertError(await search('?q=a&mode=guess'), 400, { message: /"mode" must be/ });
  });

  test('then comes whether analysis is on, then whether a key is there', async () => {
    const other = await described.account({ ai_analysis: false, openai_api_key: null });
    const asks = [{ q: 'sea' }, { q: 'x'.repeat(500) }, { q: '🐶'.repeat(500) }, { like: 'boat' }];
    for (const query of asks)
      assertError(await other.search(query), 403, {
        message: 'AI analysis not enabled for this user',
        code: 'analysis_off',
      });
    await other.configure({ ai_analysis: true });
    assertError(await other.search({ q: 'sea' }), 403, {
      message: 'OpenAI API key not configured',
      code: 'ai_key_missing',
    });
    assertError(await other.search({ q: '' }), 400, qMissing);
    await other.configure({ openai_api_key: described.provider.apiKey });
    assert.equal((await other.search({ q: 'sea' })).status, 200);
  });
});

describe('what is found', () => {
  test('has the seed’s fields, index-aligned, by falling similarity', async () => {
    const { status, body } = await account.search({ q: 'red boat calm lake', threshold: '0' });
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body), [
      'query',
      'count',
      'objects',
      'urls',
      'thumbnails',
      'captions',
      'similarities',
    ]);
    assert.deepEqual([body.query, body.count], ['red boat calm lake', 4]);
    for (const name of ['objects', 'urls', 'thumbnails', 'captions', 'similarities'])
      assert.equal(body[name].length, 4, name);
    const { object_url: url } = (await account.get('/get/boat')).body;
    assert.deepEqual(
      [body.objects[0], body.urls[0], body.thumbnails[0], body.captions[0], body.similarities[0]],
      [url, `${url}original.webp`, `${url}h-200_w-200.webp`, 'red boat calm lake', 1],
    );
    assert.deepEqual(
      body.similarities,
      body.similarities.toSorted((left: number, right: number) => right - left),
    );
    for (const similarity of body.similarities) assert.ok(similarity >= 0 && similarity <= 1);
  });

  test('is at or above the threshold, 0.7 if none is given, and no more than the limit', async () => {
    const all = (await account.search({ q: 'red boat on a lake', threshold: '0' })).body.similarities;
    const usual = (await account.search({ q: 'red boat on a lake' })).body.similarities;
    assert.deepEqual(
      usual,
      all.filter((similarity: number) => similarity >= 0.7),
    );
    assert.deepEqual(await account.found({ q: 'red boat calm lake', threshold: '1' }), ['boat']);
    assert.deepEqual((await account.found({ q: 'red boat', threshold: '0', limit: '2' })).length, 2);
    assert.deepEqual(await account.found({ q: 'nothing whatsoever alike', threshold: '0.9' }), []);
  });

  test('the query comes back as it was sent', async () => {
    assert.equal((await account.search({ q: '  red <b>boat</b> ' })).body.query, '  red <b>boat</b> ');
  });

  test('like: the pictures that are like one, without itself', async () => {
    const { body } = await account.search({ like: 'boat', threshold: '0' });
    assert.equal(body.query, '');
    assert.deepEqual([body.count, body.captions.includes('red boat calm lake')], [3, false]);
    assertError(await account.search({ like: 'no-such' }), 404, { message: 'Object not found' });
    const other = await described.account();
    assertError(await other.search({ like: 'boat' }), 404, { message: 'Object not found' });
  });

  test('tags and folder restrict it, and lose nothing', async () => {
    const q = 'something else entirely';
    const wide = { q, threshold: '0' };
    assert.deepEqual((await account.found({ ...wide, tags: 'water' })).toSorted(), ['boat', 'ship']);
    assert.deepEqual(await account.found({ ...wide, tags: ['water', 'holiday'] }), ['boat']);
    assert.deepEqual(await account.found({ ...wide, tags: 'water,holiday' }), ['boat']);
    assert.deepEqual((await account.found({ ...wide, folder: 'summer' })).toSorted(), ['boat', 'ship']);
    assert.deepEqual(await account.found({ ...wide, folder: '/home/', limit: '1' }), ['dog']);
    assert.deepEqual(await account.found({ ...wide, tags: 'nobody' }), []);
    assert.deepEqual(
      await account.found({ like: 'dog', threshold: '0', tags: 'holiday', folder: 'summer' }),
      ['boat'],
    );
  });

  test('hybrid: exact hits in tags, file name and caption come first, whatever their vectors say', async () => {
    const first = async (q: string): Promise<string | undefined> =>
      (await account.found({ q, mode: 'hybrid', threshold: '1' }))[0];
    assert.equal(await first('IMG_2041'), 'ship');
    assert.equal(await first('asleep KITCHEN'), 'dog');
    assert.deepEqual((await account.found({ q: 'holiday', mode: 'hybrid', threshold: '1' })).toSorted(), [
      'boat',
      'tree',
    ]);
    assert.deepEqual(await account.found({ q: 'holiday', threshold: '1' }), [], 'only when it is asked for');
    const all = await account.found({ q: 'holiday', mode: 'hybrid', threshold: '0' });
    assert.deepEqual([all.length, new Set(all).size], [4, 4]);
    assert.deepEqual(all.slice(0, 2).toSorted(), ['boat', 'tree']);
    assert.deepEqual(
      await account.found({ q: 'holiday', mode: 'hybrid', folder: 'summer', threshold: '1' }),
      ['boat'],
    );
    for (const q of ['"', '*', 'NEAR(', 'a:b OR', "'; drop table words; --", '^', '-boat', '()', '%', '…'])
      assert.equal((await account.search({ q, mode: 'hybrid' })).status, 200, q);
  });

  test('hybrid: new tags count at once after they were changed', async () => {
    const other = await described.account();
    await other.add('one', 'grey stone');
    await other.analysed(1);
    assert.deepEqual(await other.found({ q: 'quarry', mode: 'hybrid', threshold: '1' }), []);
    await other.send('POST', '/update/one', { tags: ['quarry'] });
    const { eventually } = await import('../support/eventually.ts');
    await eventually(async () =>
      assert.deepEqual(await other.found({ q: 'quarry', mode: 'hybrid', threshold: '1' }), ['one']),
    );
  });
});

describe('what is never found', () => {
  test('pictures of other accounts', async () => {
    const other = await described.account();
    await other.add('mine', 'red boat calm lake');
    await other.analysed(1);
    for (const mode of ['vector', 'hybrid'])
      assert.deepEqual(await other.found({ q: 'red boat calm lake', mode, threshold: '0' }), ['mine']);
  });

  test('deleted ones, from the instant of their deletion', async () => {
    const other = await described.account();
    for (let index = 0; index < 5; index++) {
      await other.add('gone', 'purple elephant');
      await other.analysed(1);
      assert.deepEqual(await other.found({ q: 'purple elephant' }), ['gone']);
      await other.send('DELETE', '/delete/gone');
      for (const mode of ['vector', 'hybrid'])
        assert.deepEqual(await other.found({ q: 'purple elephant', mode, threshold: '0' }), []);
      await other.analysed(0);
    }
  });
});

describe('when the provider fails', () => {
  const modes: Record<string, Mode> = {
    401: { kind: 'error', status: 401 },
    403: { kind: 'error', status: 403 },
    404: { kind: 'error', status: 404 },
    429: { kind: 'error', status: 429, headers: { 'Retry-After': '3600' } },
    500: { kind: 'error', status: 500 },
    garbage: { kind: 'body', body: '<html>' },
    'an empty answer': { kind: 'body', body: '' },
    'another shape': { kind: 'body', body: '{"data":[{"embedding":{"a":1}}]}' },
    'a wrong dimension': { kind: 'vector', change: (vector) => vector.slice(1) },
    NaN: { kind: 'vector', change: (vector) => [null, ...vector.slice(1)] },
    zeros: { kind: 'vector', change: (vector) => vector.map(() => 0) },
    '10 MB': { kind: 'body', body: `"${'x'.repeat(10_000_000)}"` },
    'a lost connection': { kind: 'cut' },
    'a redirect': { kind: 'redirect' },
    'no answer at all': { kind: 'hang' },
  };
  for (const [name, mode] of Object.entries(modes))
    test(`${name}: 502 with a sentence within 10 s, and nothing of the key`, async () => {
      described.provider.behave(mode);
      const startedAt = performance.now();
      try {
        const answer = await account.search({ q: 'red boat' });
        assertError(answer, 502, { code: 'provider_failed' });
        assert.ok(!JSON.stringify(answer.body).includes(described.provider.apiKey));
      } finally {
        described.provider.behave({ kind: 'well' });
      }
      assert.ok(performance.now() - startedAt < 10_000);
      assert.deepEqual(await account.found({ q: 'red boat calm lake', threshold: '1' }), ['boat']);
      assert.ok(!described.logLines.join('').includes(described.provider.apiKey));
    });
});
