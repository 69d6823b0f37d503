import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { insertObject, newTestAccount } from '../../test/support/object-rows.ts';
import { openTempDatabase, type TempDatabase } from '../../test/support/temp-database.ts';
import { keysIn, openTempStores } from '../../test/support/temp-stores.ts';
import { deleteAccount, findAccount, patchAccount } from '../accounts/accounts.ts';
import type { Account } from '../accounts/tables.ts';
import { createLog } from '../platform/log.ts';
import { JobRunner } from '../platform/jobs/job-runner.ts';
import { eventually } from '../../test/support/eventually.ts';
import { purgeHandler } from './change-object.ts';
import { eraseAccountHandler } from './erase-account.ts';
import { rememberFirst } from './idempotency.ts';
import { manifestHandlers, manifestJob } from './manifests.ts';
import { bucketManifestKey, originalKey } from './object-keys.ts';
import type { Stores } from './stores.ts';

const tables = ['accounts', 'keys', 'objects', 'facets', 'facet_blocks', 'idempotency'] as const;

describe('erasing an account', () => {
  let temp: TempDatabase;
  let stores: Stores;
  before(async () => {
    temp = await openTempDatabase();
    stores = openTempStores(temp.folder);
  });
  after(() => temp[Symbol.asyncDispose]());

  const context = { signal: new AbortController().signal, attempt: 1 };
  const erase = (account: Account, through = stores): Promise<void> =>
    eraseAccountHandler({
      database: temp.database,
      stores: through,
      urls: { files: '', storage: '' },
      forgetElsewhere: () => [],
    }).run({ account_id: account.account_id } as never, context);
  const eraseAt = (account: Account, at: number): Promise<unknown> =>
    temp.database.write((tx) =>
      tx
        .updateTable('accounts')
        .set({ erase_at: at, enabled: 0 })
        .where('account_id', '=', account.account_id)
        .execute(),
    );

  async function accountWithObjects(objects: number): Promise<Account> {
    const account = await newTestAccount(temp.database);
    await Promise.all(
      Array.from({ length: objects }, async (_, index) => {
        const backend = index % 2 === 0 ? 'files' : 'storage';
        const object = await insertObject(temp.database, account, { backend, tags: '["t"]', folder: 'f' });
        await stores[backend].put(originalKey(object.bucket_id, object.generation), Buffer.from('x'));
      }),
    );
    await temp.database.writeBatch([
      rememberFirst(account.account_id, 'key', 'answer', () => new Error('kept')),
    ]);
    return account;
  }

  async function rowsOf(account: Account): Promise<Record<string, number>> {
    const counts: [string, number][] = [];
    for (const table of tables) {
      const rows = await temp.database.read
        .selectFrom(table)
        .select('account_id')
        .where('account_id', '=', account.account_id)
        .execute();
      counts.push([table, rows.length]);
    }
    return Object.fromEntries(counts);
  }
  const nothing = Object.fromEntries(tables.map((table) => [table, 0]));

  async function bytesOf(account: Account): Promise<string[]> {
    const keys = [...(await keysIn(stores.files)), ...(await keysIn(stores.storage))];
    return keys.filter((key) => key.startsWith(account.bucket_id));
  }

  async function runJobs(): Promise<void> {
    const runner = new JobRunner({
      database: temp.database,
      log: createLog('silent'),
      pollMs: 10,
      handlers: {
        ...manifestHandlers(temp.database, stores),
        'purge-object': purgeHandler(stores, () => Promise.resolve()),
      },
    });
    runner.start();
    await eventually(async () => {
      const due = temp.database.read.selectFrom('jobs').select('kind').where('kind', '<>', 'erase-account');
      assert.deepEqual(await due.execute(), []);
    });
    await runner.stop(1000);
  }

  test('leaves no row and, after its jobs, no byte', async () => {
    const bystander = await accountWithObjects(3);
    const account = await accountWithObjects(60);
    await runJobs();
    const before = [await rowsOf(bystander), await bytesOf(bystander)];
    assert.equal(
      (await bytesOf(account)).length,
      60 + 2,
      'originals, and a manifest of the bucket in each store',
    );
    await eraseAt(account, Date.now() - 1);
    await erase(account);
    assert.deepEqual(await rowsOf(account), nothing);
    await runJobs();
    assert.deepEqual(await bytesOf(account), []);
    assert.deepEqual([await rowsOf(bystander), await bytesOf(bystander)], before);
    await erase(account);
  });

  test('does nothing before its time, nor when it was undone', async () => {
    const account = await accountWithObjects(5);
    const before = await rowsOf(account);
    await erase(account);
    await deleteAccount(temp.database, account.account_id);
    await erase(account);
    await patchAccount(temp.database, account.account_id, { enabled: true });
    await erase(account);
    assert.deepEqual(await rowsOf(account), before);
    assert.equal((await findAccount(temp.database, account.account_id)).enabled, 1);
  });

  test('cannot be undone once its time has come', async () => {
    const account = await accountWithObjects(1);
    await eraseAt(account, Date.now());
    await assert.rejects(patchAccount(temp.database, account.account_id, { enabled: true }), {
      code: 'conflict',
      status: 409,
    });
    await erase(account);
    assert.deepEqual(await rowsOf(account), nothing);
  });

  test('is all or nothing, whenever it is undone', async () => {
    for (let round = 0; round < 6; round++) {
      const account = await accountWithObjects(55);
      const whole = await rowsOf(account);
      const at = Date.now() + 15;
      await eraseAt(account, at);
      const undoing = pause(at - Date.now() - 3 + round).then(() =>
        patchAccount(temp.database, account.account_id, { enabled: true }),
      );
      const erasing = (async () => {
        while (Date.now() < at + 10) await Promise.all([erase(account), pause(1)]);
      })();
      const [undone] = await Promise.allSettled([undoing, erasing]);
      await erasing;
      await erase(account);
      const left = await rowsOf(account);
      assert.deepEqual(left, undone.status === 'fulfilled' ? whole : nothing);
    }
  });

  test('goes on where it was broken off', async () => {
    const account = await accountWithObjects(60);
    await eraseAt(account, Date.now() - 1);
    let deletions = 0;
    const files = Object.create(stores.files, {
      delete: {
        value: async (key: string) => {
          deletions += 1;
          if (deletions === 20) throw new Error('a disk');
          return stores.files.delete(key);
        },
      },
    }) as Stores['files'];
    await assert.rejects(erase(account, { ...stores, files }), /a disk/);
    assert.equal((await rowsOf(account))['accounts'], 1);
    await erase(account);
    assert.deepEqual(await rowsOf(account), nothing);
  });

  test('a manifest of the bucket that was being written meanwhile does not stay', async () => {
    const account = await accountWithObjects(1);
    await runJobs();
    await eraseAt(account, Date.now() - 1);
    const files = Object.create(stores.files, {
      put: {
        value: async (key: string, data: Buffer) => {
          await erase(account);
          return stores.files.put(key, data);
        },
      },
    }) as Stores['files'];
    const handler = manifestHandlers(temp.database, { ...stores, files })['bucket-manifest'];
    await handler?.run({ bucket_id: account.bucket_id } as never, context);
    assert.ok((await bytesOf(account)).includes(bucketManifestKey(account.bucket_id)), 'written afterwards');
    await runJobs();
    assert.deepEqual(await bytesOf(account), []);
  });

  test('jobs that were waiting for its objects end in peace', async () => {
    const account = await accountWithObjects(2);
    const object = await insertObject(temp.database, account);
    await eraseAt(account, Date.now() - 1);
    await erase(account);
    await manifestHandlers(temp.database, stores)['object-manifest']?.run(
      manifestJob(object).payload as never,
      context,
    );
    await runJobs();
    assert.deepEqual(await bytesOf(account), []);
  });
});
