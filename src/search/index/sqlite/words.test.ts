import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import Sqlite from 'better-sqlite3';
import fc from 'fast-check';
import { openTempIndex, type TempIndex } from '../../../../test/support/picture-index.ts';
import type { Account } from '../../../accounts/tables.ts';

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

test('texts of any kind leave no trace in the index once deleted', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 40 }), async (text) => {
      const account = await library([`${text} zebra`, text]);
      await temp.database.write(async (tx) => {
        await tx.deleteFrom('objects').where('account_id', '=', account.account_id).execute();
      });
      assert.deepEqual(await find(account, ['zebra']), []);
    }),
    { numRuns: 50 },
  );
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
