import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Database } from '../platform/database/database.ts';
import { openSqliteDatabase } from '../platform/database/sqlite/sqlite-database.ts';
import { runStatements, type Statement } from '../platform/database/statement.ts';
import { AppError } from '../platform/errors.ts';
import { jobMigrations } from '../platform/jobs/jobs.ts';
import { createAccount, findAccount, patchAccount } from './accounts.ts';
import { tierLimits } from './limits.ts';
import type { AccountTerms } from './new-account.ts';
import { giveBackStorage, giveBackVideo, holdAccount, takeStorage, takeVideo } from './quota.ts';
import { accountMigrations } from './tables.ts';

describe('quota', () => {
  let folder: string;
  let database: Database;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tintype-quota-'));
    database = openSqliteDatabase(join(folder, 'tintype.db'));
    await database.migrate([...jobMigrations, ...accountMigrations]);
  });
  after(async () => {
    await database.close();
    await rm(folder, { recursive: true });
  });

  async function newAccountId(terms: AccountTerms): Promise<string> {
    return (await createAccount(database, { email: 'quota@example.com', ...terms })).account.account_id;
  }
  /** With the place it took. */
  const taking = (accountId: string, statement: Statement): Promise<{ seq: number }> =>
    database.write(async (tx) => {
      await runStatements(tx, [holdAccount(accountId), statement]);
      const account = tx.selectFrom('accounts').select('next_seq').where('account_id', '=', accountId);
      return { seq: (await account.executeTakeFirstOrThrow()).next_seq - 1 };
    });
  const take = (accountId: string, bytes: number): Promise<{ seq: number }> =>
    taking(accountId, takeStorage(accountId, bytes));
  const isRefusal = (error: unknown): boolean =>
    error instanceof AppError && error.code === 'storage_limit_exceeded';

  test('200 at once against a limit only some fit: never a byte over, exact sums, places without gaps', async () => {
    for (let round = 0; round < 10; round++) {
      const limit = 40_000 + round * 977;
      const accountId = await newAccountId({ storage_limit_bytes: limit });
      const sizes = Array.from({ length: 200 }, () => 1 + Math.floor(Math.random() * 800));
      const results = await Promise.allSettled(sizes.map((bytes) => take(accountId, bytes)));
      const seqs: number[] = [];
      let sum = 0;
      results.forEach((result, index) => {
        if (result.status === 'rejected') return assert.ok(isRefusal(result.reason));
        seqs.push(result.value.seq);
        sum += sizes[index] as number;
      });
      const account = await findAccount(database, accountId);
      assert.ok(sum <= limit);
      assert.ok(seqs.length > 0 && seqs.length < 200);
      assert.equal(account.storage_used_bytes, sum);
      assert.equal(account.object_count, seqs.length);
      assert.deepEqual(
        seqs,
        Array.from({ length: seqs.length }, (_, index) => index + 1),
      );
    }
  });

  test('the limit is reached to the byte and not passed', async () => {
    const accountId = await newAccountId({ storage_limit_bytes: 100 });
    await take(accountId, 60);
    await assert.rejects(take(accountId, 41), isRefusal);
    await take(accountId, 40);
    await assert.rejects(take(accountId, 1), isRefusal);
    await database.write((tx) => giveBackStorage(tx, accountId, 60, 1));
    const { seq } = await take(accountId, 60);
    assert.equal(seq, 3);
    const account = await findAccount(database, accountId);
    assert.deepEqual([account.storage_used_bytes, account.object_count], [100, 2]);
  });

  test('a transaction that fails later takes nothing', async () => {
    const accountId = await newAccountId({});
    const failing = database.write(async (tx) => {
      await runStatements(tx, [takeStorage(accountId, 1000)]);
      throw new Error('later');
    });
    await assert.rejects(failing, /later/);
    const account = await findAccount(database, accountId);
    assert.deepEqual([account.storage_used_bytes, account.object_count, account.next_seq], [0, 0, 1]);
  });

  test('a tier changed in between counts for the very next taking', async () => {
    const accountId = await newAccountId({ tier: 'free' });
    const free = tierLimits.free.storageBytes;
    await take(accountId, free);
    await assert.rejects(take(accountId, 1), isRefusal);
    const [, taken] = await Promise.all([
      patchAccount(database, accountId, { tier: 'pro' }),
      take(accountId, 1),
    ]);
    assert.equal(taken.seq, 2);
    await patchAccount(database, accountId, { tier: 'free' });
    await assert.rejects(take(accountId, 0), isRefusal);
    await patchAccount(database, accountId, { tier: 'enterprise' });
    await take(accountId, 1e13);
    await patchAccount(database, accountId, { storage_limit_bytes: 10 });
    await assert.rejects(take(accountId, 1), isRefusal);
  });

  test('film counts in seconds only', async () => {
    const accountId = await newAccountId({ video_seconds_limit: 61, storage_limit_bytes: 0 });
    const takeFilm = (seconds: number): Promise<{ seq: number }> =>
      taking(accountId, takeVideo(accountId, seconds));
    assert.equal((await takeFilm(61)).seq, 1);
    await assert.rejects(takeFilm(1), /Video limit exceeded/);
    await database.write((tx) => giveBackVideo(tx, accountId, 61, 1));
    assert.equal((await takeFilm(61)).seq, 2);
    const account = await findAccount(database, accountId);
    assert.deepEqual(
      [account.storage_used_bytes, account.video_seconds_used, account.object_count],
      [0, 61, 1],
    );
  });

  test('an account that is gone is not told of its limit', async () => {
    await assert.rejects(take('acc_gone', 1), /Account not found/);
    await assert.rejects(
      database.writeBatch([holdAccount('acc_gone'), takeStorage('acc_gone', 1)]),
      /Account not found/,
    );
  });
});
