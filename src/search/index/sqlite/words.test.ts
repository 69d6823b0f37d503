import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import Sqlite from 'better-sqlite3';
import fc from 'fast-check';
import { openTempIndex, type TempIndex } from '../../../../test/support/picture-index.ts';
import { amongSeqs } from '../picture-index.ts';
import type { Account } from '../../../accounts/tables.ts';

const signs = ['"', '*', ':', '^', '(', ')', '{', '}', '+', '-', '\0', "'", ' ', 'a', 'NEAR', 'OR', '\u0301'];

let temp: TempIndex;
before(async () => {
  temp = await openTempIndex();
});
after(() => temp[Symbol.asyncDispose]());

/** One picture for each text; their places are 1, 2, 3 … */
async function library(texts: readonly string[]): Promise<Account> {
  const account = await temp.newAccount();
  const objects = await temp.addObjects(account, texts.length);
  await temp.database.write(async (tx) => {
    // Not in their order: that of the answers must not come from it.
    for (const { generation, account_id: accountId, seq } of objects.toReversed())
      await temp.index.keepWords(tx, { generation, accountId, seq, text: texts[seq - 1] as string });
  });
  return account;
}

function find({ account_id: accountId }: Account, words: readonly string[], limit = 100): Promise<number[]> {
  return temp.index.withWords({ accountId, words, limit, among: null });
}

test('all words must be there, in any order; the newest comes first, up to the limit', async () => {
  const account = await library(['a red cat', 'cat on a red mat', 'a cat', 'red mat', 'mat of a cat, red']);
  assert.deepEqual(await find(account, ['red', 'cat']), [5, 2, 1]);
  assert.deepEqual(await find(account, ['cat', 'red'], 2), [5, 2]);
  assert.deepEqual(await find(account, ['cat', 'dog']), []);
  assert.deepEqual(await find(account, ['ca']), []);
});

test('a filter loses nothing: what it leaves out does not count for the limit', async () => {
  const account = await library(Array.from({ length: 50 }, () => 'a cat'));
  const query = { accountId: account.account_id, words: ['cat'], limit: 2, among: amongSeqs([3, 7, 9]) };
  assert.deepEqual(await temp.index.withWords(query), [9, 7]);
});

test('other accounts are not looked at', async () => {
  const first = await library(['beach', 'forest']);
  const second = await library(['forest', 'forest', 'beach']);
  assert.deepEqual(await find(first, ['forest']), [2]);
  assert.deepEqual(await find(second, ['forest']), [2, 1]);
  assert.deepEqual(await find(await temp.newAccount(), ['forest']), []);
});

test('case and accents make no difference, in any language', async () => {
  const account = await library([
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
    assert.deepEqual(await find(account, [word]), places, word);
});

test('a word with signs inside is found as it stands', async () => {
  const account = await library(['IMG_1234.jpg', 'IMG 9 1234', "o'neill", 'new-york']);
  assert.deepEqual(await find(account, ['IMG_1234']), [1]);
  assert.deepEqual(await find(account, ["o'neill"]), [3]);
  assert.deepEqual(await find(account, ['new-york']), [4]);
});

describe('what would mean something to the index', () => {
  const texts = ['plain picture', 'near and far', 'not or and', 'text words_index rank'];
  let account: Account;
  before(async () => {
    account = await library(texts);
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
      assert.deepEqual(await find(account, words.split('|')), places, words);
  });

  test('is left out when it is no word at all, and alone finds nothing', async () => {
    for (const sign of ['', ' ', '&', '"', '""', '*', '()', '\0', "'", '\ud800', '😀', ':', '-', '\\', '%'])
      assert.deepEqual(await find(account, [sign]), [], JSON.stringify(sign));
    assert.deepEqual(await find(account, ['plain', '&', 'picture']), [1]);
    assert.deepEqual(await find(account, []), []);
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
        const all = await find(account, ['plain', ...words]);
        assert.ok(all.every((place) => place === 1));
      }),
      { numRuns: 2000 },
    );
  });

  test('may be long and many', async () => {
    assert.deepEqual(
      await find(
        account,
        Array.from({ length: 1000 }, () => 'plain'),
      ),
      [1],
    );
    assert.deepEqual(await find(account, ['plain'.repeat(100_000)]), []);
    assert.deepEqual(await find(account, ['plain '.repeat(1000)]), []);
  });
});

test('texts of any kind can be kept and deleted again', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 40 }), async (text) => {
      const account = await library([`${text} zebra`, text]);
      assert.deepEqual(await find(account, ['zebra']), [1]);
      await temp.database.write(async (tx) => {
        await tx.deleteFrom('objects').where('account_id', '=', account.account_id).execute();
      });
      assert.deepEqual(await find(account, ['zebra']), []);
    }),
    { numRuns: 100 },
  );
  checkIndex();
});

test('new words take the place of those before', async () => {
  const account = await temp.newAccount();
  const [object] = await temp.addObjects(account, 1);
  assert.ok(object);
  const { generation, account_id: accountId, seq } = object;
  for (const text of ['lion', 'tiger'])
    await temp.database.write((tx) => temp.index.keepWords(tx, { generation, accountId, seq, text }));
  assert.deepEqual(await find(account, ['lion']), []);
  assert.deepEqual(await find(account, ['tiger']), [1]);
  checkIndex();
});

test('with the object its words leave the index and all that it is kept in', async () => {
  const account = await library(['unforgettable okapi', 'another one']);
  assert.ok(storedBytes().includes('forgettable'));
  await temp.database.write(async (tx) => {
    await tx
      .deleteFrom('objects')
      .where('account_id', '=', account.account_id)
      .where('seq', '=', 1)
      .execute();
  });
  assert.deepEqual(await find(account, ['okapi']), []);
  assert.ok(!storedBytes().includes('forgettable'));
  checkIndex();
});

/** All that the tables of words and of the index hold. */
function storedBytes(): string {
  const sqlite = new Sqlite(temp.file, { readonly: true });
  const blocks = sqlite.prepare('select block from words_index_data').pluck().all() as Buffer[];
  const texts = sqlite.prepare('select text from words').pluck().all() as string[];
  sqlite.close();
  return [...blocks.map((block) => block.toString('latin1')), ...texts].join('\n');
}

/** SQLite's own comparison of the index with the words it was made from. */
function checkIndex(): void {
  const sqlite = new Sqlite(temp.file);
  sqlite.exec("insert into words_index (words_index, rank) values ('integrity-check', 1)");
  sqlite.close();
}
