// The part of the contract that is about words.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import type { Account } from '../../src/accounts/tables.ts';
import { amongSeqs } from '../../src/search/index/picture-index.ts';
import type { IndexUnderTest } from '../support/picture-index.ts';

const signs = [
  '"',
  '*',
  ':',
  '^',
  '(',
  ')',
  '{',
  '}',
  '+',
  '-',
  '&',
  '|',
  '!',
  '<->',
  '\\',
  '\0',
  "'",
  ' ',
  'a',
  'NEAR',
  'OR',
  '\u0301',
];

/** One picture for each text; their places are 1, 2, 3 … */
async function library(temp: IndexUnderTest, texts: readonly string[]): Promise<Account> {
  const account = await temp.newAccount();
  const objects = await temp.addObjects(account, texts.length);
  await temp.database.write(async (tx) => {
    // Not in their order: that of the answers must not come from it.
    for (const { generation, account_id: accountId, seq } of objects.toReversed())
      await temp.index.keepWords(tx, { generation, accountId, seq, text: texts[seq - 1] as string });
  });
  return account;
}

function find(
  { index }: IndexUnderTest,
  { account_id: accountId }: Account,
  words: readonly string[],
  limit = 100,
): Promise<number[]> {
  return index.withWords({ accountId, words, limit, among: null });
}

export function pictureIndexWords(open: () => Promise<IndexUnderTest>): void {
  let temp: IndexUnderTest;
  before(async () => {
    temp = await open();
  });
  after(() => temp[Symbol.asyncDispose]());

  test('all words must be there, in any order; the newest comes first, up to the limit', async () => {
    const account = await library(temp, [
      'a red cat',
      'cat on a red mat',
      'a cat',
      'red mat',
      'mat of a cat, red',
    ]);
    assert.deepEqual(await find(temp, account, ['red', 'cat']), [5, 2, 1]);
    assert.deepEqual(await find(temp, account, ['cat', 'red'], 2), [5, 2]);
    assert.deepEqual(await find(temp, account, ['cat', 'dog']), []);
    assert.deepEqual(await find(temp, account, ['ca']), []);
  });

  test('a filter loses nothing: what it leaves out does not count for the limit', async () => {
    const account = await library(
      temp,
      Array.from({ length: 50 }, () => 'a cat'),
    );
    const query = { accountId: account.account_id, words: ['cat'], limit: 2, among: amongSeqs([3, 7, 9]) };
    assert.deepEqual(await temp.index.withWords(query), [9, 7]);
  });

  test('other accounts are not looked at', async () => {
    const first = await library(temp, ['beach', 'forest']);
    const second = await library(temp, ['forest', 'forest', 'beach']);
    assert.deepEqual(await find(temp, first, ['forest']), [2]);
    assert.deepEqual(await find(temp, second, ['forest']), [2, 1]);
    assert.deepEqual(await find(temp, await temp.newAccount(), ['forest']), []);
  });

  test('case and accents make no difference, in any language', async () => {
    const account = await library(temp, [
      'Über den Straßen',
      'CAFÉ',
      'Ёлка',
      'Θάλασσα',
      'قطة',
      '東京タワーの夜景',
      'แมวดำ',
    ]);
    const cases = {
      uber: [1],
      ÜBER: [1],
      cafe: [2],
      'cafe\u0301': [2],
      елка: [3],
      θαλασσα: [4],
      قطة: [5],
      夜景: [6],
      タワー: [6],
      景夜: [],
      แมว: [7],
      straße: [],
    };
    for (const [word, places] of Object.entries(cases))
      assert.deepEqual(await find(temp, account, [word]), places, word);
  });

  test('a word with signs inside is found as it stands', async () => {
    const account = await library(temp, ['IMG_1234.jpg', 'IMG 9 1234', "o'neill", 'new-york']);
    assert.deepEqual(await find(temp, account, ['IMG_1234']), [1]);
    assert.deepEqual(await find(temp, account, ["o'neill"]), [3]);
    assert.deepEqual(await find(temp, account, ['new-york']), [4]);
  });

  describe('what would mean something to the index', () => {
    const texts = ['plain picture', 'near and far', 'not or and', 'text words_index rank'];
    let account: Account;
    before(async () => {
      account = await library(temp, texts);
    });

    test('is a word like any other', async () => {
      const cases = {
        NOT: [3],
        NEAR: [2],
        'AND|OR': [3],
        'plain|OR|far': [],
        'NEAR(near far)': [],
        'pla*': [],
        'text:plain': [],
        '-text:plain': [],
        '^plain': [1],
        'plain"': [1],
        '"plain" OR "far"': [],
        '{text}:plain': [],
        'plain) OR (far': [],
        'plain\0far': [],
        'plain + picture': [1],
        rank: [4],
      };
      for (const [words, places] of Object.entries(cases))
        assert.deepEqual(await find(temp, account, words.split('|')), places, words);
    });

    test('is left out when it is no word at all, and alone finds nothing', async () => {
      for (const sign of ['', ' ', '&', '"', '""', '*', '()', '\0', "'", '\ud800', '😀', ':', '-', '\\', '%'])
        assert.deepEqual(await find(temp, account, [sign]), [], JSON.stringify(sign));
      assert.deepEqual(await find(temp, account, ['plain', '&', 'picture']), [1]);
      assert.deepEqual(await find(temp, account, []), []);
    });

    test('never fails and never widens an answer', async () => {
      const wild = fc.array(
        fc.oneof(
          fc.string({ unit: 'binary', maxLength: 12 }),
          fc.string({ unit: fc.constantFrom(...signs), maxLength: 12 }),
        ),
        { maxLength: 5 },
      );
      await fc.assert(
        fc.asyncProperty(wild, async (words) => {
          const all = await find(temp, account, ['plain', ...words]);
          assert.ok(all.every((place) => place === 1));
        }),
        { numRuns: 500 },
      );
    });

    test('may be long and many', async () => {
      assert.deepEqual(
        await find(
          temp,
          account,
          Array.from({ length: 1000 }, () => 'plain'),
        ),
        [1],
      );
      assert.deepEqual(await find(temp, account, ['plain'.repeat(100_000)]), []);
      assert.deepEqual(await find(temp, account, ['plain '.repeat(1000)]), []);
    });
  });

  test('texts of any kind can be kept and deleted again', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 40 }), async (text) => {
        const account = await library(temp, [`${text} zebra`, text]);
        assert.deepEqual(await find(temp, account, ['zebra']), [1]);
        await temp.database.write(async (tx) => {
          await tx.deleteFrom('objects').where('account_id', '=', account.account_id).execute();
        });
        assert.deepEqual(await find(temp, account, ['zebra']), []);
      }),
      { numRuns: 100 },
    );
  });

  test('new words take the place of those before', async () => {
    const account = await temp.newAccount();
    const [object] = await temp.addObjects(account, 1);
    assert.ok(object);
    const { generation, account_id: accountId, seq } = object;
    for (const text of ['lion', 'tiger'])
      await temp.database.write((tx) => temp.index.keepWords(tx, { generation, accountId, seq, text }));
    assert.deepEqual(await find(temp, account, ['lion']), []);
    assert.deepEqual(await find(temp, account, ['tiger']), [1]);
  });
}
