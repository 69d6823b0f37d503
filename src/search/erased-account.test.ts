import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insertObject, newTestAccount } from '../../test/support/object-rows.ts';
import { openTempDatabase } from '../../test/support/temp-database.ts';
import { openTempStores } from '../../test/support/temp-stores.ts';
import type { Account } from '../accounts/tables.ts';
import { eraseAccountHandler } from '../objects/erase-account.ts';
import type { Database } from '../platform/database/database.ts';
import { queueAnalysis } from './analysis/analysis-queue.ts';
import { noteWalked } from './analysis/pauses.ts';
import type { PictureIndex } from './index/picture-index.ts';
import { openSqlitePictureIndex } from './index/sqlite/sqlite-picture-index.ts';

const space = { model: 'openai/words@4', dimensions: 4 };
const vector = Float32Array.of(1, 0, 0, 0);

async function analysedAccount(database: Database, index: PictureIndex): Promise<Account> {
  const account = await newTestAccount(database);
  const { account_id: accountId } = account;
  for (let count = 0; count < 3; count++) {
    const { generation, seq } = await insertObject(database, account);
    await database.write(async (tx) => {
      await index.keepVector(tx, { generation, accountId, seq, space, vector });
      await index.keepWords(tx, { generation, accountId, seq, text: 'secret garden' });
      await queueAnalysis(database, tx, { generation, account_id: accountId });
    });
  }
  await database.write((tx) => noteWalked(tx, accountId, space.model));
  return account;
}

async function traces({ read }: Database): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of ['vectors', 'words', 'word_accounts', 'analyses', 'analysis_states'] as const)
    counts[table] = (await read.selectFrom(table).selectAll().execute()).length;
  return counts;
}

test('erasing an account takes its vectors, words, analyses and state along, and only those', async () => {
  await using temp = await openTempDatabase();
  const { database } = temp;
  const index = openSqlitePictureIndex({ file: temp.file });
  try {
    const [account, bystander] = [
      await analysedAccount(database, index),
      await analysedAccount(database, index),
    ];
    const ofOne = { vectors: 3, words: 3, word_accounts: 1, analyses: 3, analysis_states: 1 };
    const ofBoth = { vectors: 6, words: 6, word_accounts: 2, analyses: 6, analysis_states: 2 };
    assert.deepEqual(await traces(database), ofBoth);
    await database.write((tx) =>
      tx
        .updateTable('accounts')
        .set({ erase_at: Date.now() - 1, enabled: 0 })
        .where('account_id', '=', account.account_id)
        .execute(),
    );
    const stores = openTempStores(temp.folder);
    const urls = { files: '', storage: '' };
    const handler = eraseAccountHandler({ database, stores, urls, forgetElsewhere: () => [] });
    await handler.run({ account_id: account.account_id } as never, {
      signal: new AbortController().signal,
      attempt: 1,
    });
    assert.deepEqual(await traces(database), ofOne);
    const found = async ({ account_id: accountId }: Account) => [
      (await index.withWords({ accountId, words: ['garden'], limit: 10, among: null })).length,
      (await index.nearest({ accountId, space, vector, minCosine: -1, limit: 10, among: null })).length,
      await index.count(accountId, space.model),
    ];
    assert.deepEqual(
      [await found(account), await found(bystander)],
      [
        [0, 0, 0],
        [3, 3, 3],
      ],
    );
  } finally {
    await index.close();
  }
});
