// Words and vectors together, over HTTP: which pictures come first when some have the words of a question and others are nearer.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  type DescribedPictures,
  type Searcher,
  startDescribedPictures,
} from '../../test/support/search-server.ts';

let described: DescribedPictures;
let account: Searcher;
before(async () => {
  described = await startDescribedPictures();
  account = await described.account();
  const library: [string, string, Record<string, string>?][] = [
    ['butterfly', 'One butterfly rests with open wings on some large violet flower.'],
    ['harbour', 'Many colourful boats crowd some harbour below white houses.'],
    ['rowing', 'Rowing boat tied to some jetty.', { tags: 'boats, weekend' }],
    ['untagged', 'meadow fence wooden green morning hills far quiet sunny grass'],
    ['tagged', 'meadow fence wooden green morning hills far quiet sunny grass dew', { tags: 'clover' }],
  ];
  for (const [id, caption, fields] of library) await account.add(id, caption, fields);
  await account.analysed(library.length);
});
after(() => described[Symbol.asyncDispose]());

const found = (q: string, threshold: string): Promise<string[]> =>
  account.found({ q, mode: 'hybrid', threshold });

describe('hybrid', () => {
  test('a word is found in its other number too, after those that have it as typed', async () => {
    assert.deepEqual(await found('butterflies', '1'), ['butterfly']);
    assert.deepEqual(await found('violet flowers', '1'), ['butterfly']);
    assert.deepEqual(await found('jetties', '1'), ['rowing']);
    assert.deepEqual((await found('boats', '1')).toSorted(), ['harbour', 'rowing']);
    assert.deepEqual(await found('boat', '1'), ['rowing', 'harbour']);
    assert.deepEqual(await found('lilies', '1'), []);
  });

  test('of pictures about as near, the one with more words of the question comes first', async () => {
    const q = 'meadow fence clover unmentioned';
    assert.deepEqual(await account.found({ q, threshold: '0.6' }), ['untagged', 'tagged']);
    assert.deepEqual(await found(q, '0.6'), ['tagged', 'untagged']);
  });

  test('a smaller limit gives the beginning of what a larger one gives', async () => {
    for (const q of ['meadow fence clover unmentioned', 'boats', 'violet wings']) {
      const all = await found(q, '0');
      assert.equal(new Set(all).size, 5);
      for (const limit of [1, 2, 3, 4])
        assert.deepEqual(
          await account.found({ q, mode: 'hybrid', threshold: '0', limit: String(limit) }),
          all.slice(0, limit),
        );
    }
  });
});
