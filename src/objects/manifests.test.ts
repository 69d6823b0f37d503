import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { insertObject, newTestAccount } from '../../test/support/object-rows.ts';
import { openTempDatabase, type TempDatabase } from '../../test/support/temp-database.ts';
import { openTempStores, readJson } from '../../test/support/temp-stores.ts';
import { findAccount, patchAccount } from '../accounts/accounts.ts';
import type { Account } from '../accounts/tables.ts';
import type { JobRow } from '../platform/jobs/jobs.ts';
import { changeObject, deleteObject } from './change-object.ts';
import { manifestHandlers, manifestJob } from './manifests.ts';
import { bucketManifestKey, manifestKey } from './object-keys.ts';
import type { Stores } from './stores.ts';
import type { ObjectRow } from './tables.ts';

const context = { signal: new AbortController().signal, attempt: 1 };

describe('manifests', () => {
  let temp: TempDatabase;
  let account: Account;
  let stores: Stores;
  before(async () => {
    temp = await openTempDatabase();
    account = await newTestAccount(temp.database);
    stores = openTempStores(temp.folder);
  });
  after(() => temp[Symbol.asyncDispose]());

  const parts = () => ({
    database: temp.database,
    stores,
    urls: { files: '', storage: '' },
    forgetElsewhere: () => [],
  });
  async function run(kind: string, payload: unknown, through = stores): Promise<void> {
    await manifestHandlers(temp.database, through)[kind]?.run(payload as never, context);
  }
  const write = (object: ObjectRow, through = stores): Promise<void> =>
    run('object-manifest', manifestJob(object).payload, through);
  const manifestOf = (object: ObjectRow) =>
    readJson(stores[object.backend], manifestKey(object.bucket_id, object.generation));
  const waiting = (kind: string, key: string): Promise<JobRow | undefined> =>
    temp.database.read
      .selectFrom('jobs')
      .selectAll()
      .where('kind', '=', kind)
      .where('key', '=', key)
      .executeTakeFirst();

  test('hold the whole row, beside the bytes of either backend', async () => {
    for (const backend of ['files', 'storage'] as const) {
      const object = await insertObject(temp.database, account, {
        backend,
        tags: '["a","ü"]',
        folder: 'x/y',
      });
      await write(object);
      assert.deepEqual(await manifestOf(object), { tintype: 1, object });
    }
  });

  test('follow a change by the job of its transaction', async () => {
    const object = await insertObject(temp.database, account);
    await write(object);
    await changeObject(temp.database, account.account_id, object.object_id, {
      tags: () => ['new'],
      folder: 'f',
    });
    const job = await waiting('object-manifest', object.generation);
    await run('object-manifest', JSON.parse(job?.payload as string));
    const { object: written } = await manifestOf(object);
    assert.deepEqual([written.tags, written.folder], ['["new"]', 'f']);
  });

  test('are gone when the delete has resolved', async () => {
    const object = await insertObject(temp.database, account);
    await write(object);
    await deleteObject(parts(), account.account_id, object.object_id);
    assert.equal(await manifestOf(object), null);
    await write(object);
    assert.equal(await manifestOf(object), null);
  });

  test('are gone also when they were being written while their object was deleted', async () => {
    const object = await insertObject(temp.database, account);
    /** The object goes, manifest and all, after the job has read the row and before its bytes are there. */
    const files = Object.create(stores.files, {
      put: {
        value: async (key: string, data: Buffer) => {
          await deleteObject(parts(), account.account_id, object.object_id);
          return stores.files.put(key, data);
        },
      },
    }) as Stores['files'];
    await write(object, { ...stores, files });
    assert.equal(await manifestOf(object), null);
  });

  test('of a run that died after the delete are taken away by the next run', async () => {
    const object = await insertObject(temp.database, account);
    await write(object);
    await temp.database.write((tx) =>
      tx.deleteFrom('objects').where('generation', '=', object.generation).execute(),
    );
    await write(object);
    assert.equal(await manifestOf(object), null);
  });

  test('written while writers race end as the last row says', async () => {
    const object = await insertObject(temp.database, account);
    for (let round = 0; round < 10; round++) {
      const [, changed] = await Promise.all([
        write(object),
        changeObject(temp.database, account.account_id, object.object_id, { tags: () => [`${round}`] }),
      ]);
      // The job asked for by the change comes after the one that was running.
      await write(object);
      assert.deepEqual((await manifestOf(object)).object, changed);
    }
  });

  test('of a bucket hold account and keys, in both backends, and follow a change', async () => {
    await patchAccount(temp.database, account.account_id, { tier: 'pro' });
    const job = await waiting('bucket-manifest', account.bucket_id);
    await run('bucket-manifest', JSON.parse(job?.payload as string));
    const keys = await temp.database.read
      .selectFrom('keys')
      .selectAll()
      .where('account_id', '=', account.account_id)
      .execute();
    for (const storage of [stores.files, stores.storage]) {
      const {
        written_at: writtenAt,
        sha256,
        ...manifest
      } = await readJson(storage, bucketManifestKey(account.bucket_id));
      assert.match(sha256, /^[0-9a-f]{64}$/);
      assert.ok(Math.abs(writtenAt - Date.now()) < 5000);
      assert.deepEqual(manifest, {
        tintype: 1,
        account: await findAccount(temp.database, account.account_id),
        keys,
        webhooks: [],
      });
    }
    assert.equal(keys.length, 1);
  });
});
