import assert from 'node:assert/strict';
import { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { after, before, beforeEach, describe, test } from 'node:test';
import { insertObject, newTestAccount } from '../../test/support/object-rows.ts';
import { openTempDatabase, type TempDatabase } from '../../test/support/temp-database.ts';
import { keysIn, openTempStores } from '../../test/support/temp-stores.ts';
import type { Account } from '../accounts/tables.ts';
import { runStatements } from '../platform/database/statement.ts';
import { recall, rememberFirst } from './idempotency.ts';
import { bucketManifestKey, filmKey, manifestKey, newGeneration, originalKey } from './object-keys.ts';
import type { Stores } from './stores.ts';
import { sweepOrphans, sweepStaging } from './sweep.ts';
import { sweepVariants } from './sweep-variants.ts';

const hourMs = 3_600_000;
const options = { stagedMs: 600_000, orphanMs: hourMs };
const noSignal = new AbortController().signal;

describe('the sweep of storage', () => {
  let temp: TempDatabase;
  let account: Account;
  let stores: Stores;
  let rounds = 0;
  before(async () => {
    temp = await openTempDatabase();
    account = await newTestAccount(temp.database);
  });
  beforeEach(() => {
    stores = openTempStores(join(temp.folder, `${++rounds}`));
  });
  after(() => temp[Symbol.asyncDispose]());

  /** Bytes under a key, last changed so long ago. */
  async function put(backend: 'files' | 'storage', key: string, ageMs: number): Promise<string> {
    await stores[backend].put(key, Buffer.from('bytes'));
    const at = new Date(Date.now() - ageMs);
    utimesSync(stores[backend].pathOnDisk(key) as string, at, at);
    return key;
  }
  const sweep = (): Promise<number> => sweepOrphans(temp.database, stores, noSignal, options);

  test('takes originals that no row names once they are older than an upload can wait', async () => {
    const { bucket_id: bucket } = account;
    for (const backend of ['files', 'storage'] as const) {
      const object = await insertObject(temp.database, account, { backend });
      const kept = [
        await put(backend, originalKey(bucket, object.generation), 2 * hourMs),
        await put(backend, originalKey(bucket, newGeneration()), hourMs - 60_000),
        await put(backend, originalKey(bucket, newGeneration()), 0),
      ];
      const orphan = await put(backend, originalKey(bucket, newGeneration()), hourMs + 60_000);
      assert.ok((await keysIn(stores[backend])).includes(orphan));
      assert.equal(await sweep(), 1);
      assert.deepEqual(await keysIn(stores[backend]), kept.toSorted());
    }
    assert.equal(await sweep(), 0);
  });

  test('takes variants that nodes share once their object is gone, and leaves young ones alone', async () => {
    const object = await insertObject(temp.database, account, { backend: 'files' });
    const variant = (folder: string, generation: string): string =>
      `${folder}${originalKey(account.bucket_id, generation)}/abc.webp`;
    const kept = [
      await put('files', variant('cache/', object.generation), 2 * hourMs),
      await put('files', variant('variants/', object.generation), 2 * hourMs),
      await put('files', variant('cache/', newGeneration()), 0),
    ];
    const gone = newGeneration();
    for (const folder of ['cache/', 'variants/']) await put('files', variant(folder, gone), 2 * hourMs);
    assert.equal(await sweep(), 0);
    assert.equal(await sweepVariants(temp.database, stores, noSignal, options), 2);
    assert.deepEqual(await keysIn(stores.files), kept.toSorted());
  });

  test('takes the files of films that no row names, all of a film at once', async () => {
    const { bucket_id: bucket } = account;
    const film = await insertObject(temp.database, account, { kind: 'video', type: 'video/mp4' });
    const [orphan, young] = [newGeneration(), newGeneration()];
    const kept = [
      await put('files', filmKey(bucket, film.generation, 'poster.jpg'), 2 * hourMs),
      await put('files', filmKey(bucket, film.generation, '0123456789ab/480p/00000.m4s'), 2 * hourMs),
      await put('files', filmKey(bucket, young, 'poster.jpg'), 0),
    ];
    await put('files', originalKey(bucket, orphan), 2 * hourMs);
    await put('files', filmKey(bucket, orphan, 'poster.jpg'), 2 * hourMs);
    await put('files', filmKey(bucket, orphan, '0123456789ab/480p/00000.m4s'), 2 * hourMs);
    await sweep();
    assert.deepEqual(await keysIn(stores.files), kept.toSorted());
  });

  test('leaves what was an object once, what is older than the database, and what it does not know', async () => {
    const { bucket_id: bucket } = account;
    const once = newGeneration();
    const beforeDatabase = newGeneration(Date.now() - 2 * hourMs);
    const kept = [
      await put('files', originalKey(bucket, once), 2 * hourMs),
      await put('files', manifestKey(bucket, once), 2 * hourMs),
      await put('files', originalKey(bucket, beforeDatabase), 2 * hourMs),
      await put('files', bucketManifestKey(bucket), 2 * hourMs),
      await put('files', `${bucket}/notes`, 2 * hourMs),
    ];
    assert.equal(await sweep(), 0);
    assert.deepEqual(await keysIn(stores.files), kept.toSorted());
  });

  test('takes them all, however many, and spares the named ones among them', async () => {
    const { bucket_id: bucket } = account;
    const object = await insertObject(temp.database, account);
    const named = await put('files', originalKey(bucket, object.generation), 2 * hourMs);
    const folder = join(stores.files.pathOnDisk(named) as string, '..');
    const past = new Date(Date.now() - 2 * hourMs);
    for (let index = 0; index < 520; index++) {
      const generation = object.generation.slice(0, 12) + index.toString(16).padStart(12, '0');
      const file = join(folder, generation);
      writeFileSync(file, '');
      utimesSync(file, past, past);
    }
    assert.equal(await sweep(), 520);
    assert.deepEqual(await keysIn(stores.files), [named]);
  });

  test('stops when it is told to', async () => {
    await put('files', originalKey(account.bucket_id, newGeneration()), 2 * hourMs);
    await assert.rejects(sweepOrphans(temp.database, stores, AbortSignal.abort(), options), {
      name: 'AbortError',
    });
  });

  test('spares an upload that is still coming, however long ago it began', async () => {
    const began = Date.now() - 3 * hourMs;
    await using older = await openTempDatabase();
    await older.database.write((tx) => sql`update migrations set applied_at = ${began - hourMs}`.execute(tx));
    const key = originalKey(account.bucket_id, newGeneration(began));
    const file = await stores.files.create(key);
    await file.write(Buffer.alloc(2_000_000));
    assert.equal(await sweepOrphans(older.database, stores, noSignal, options), 0);
    await file.commit();
    assert.deepEqual(await keysIn(stores.files), [key]);
  });

  test('of staging takes what is old or whose process is gone', async () => {
    const staging = join(stores.files.pathOnDisk('a') as string, '..', '.staging');
    const foreign = (name: string, ageMs: number): string => {
      const file = join(staging, name);
      writeFileSync(file, 'x');
      const at = new Date(Date.now() - ageMs);
      utimesSync(file, at, at);
      return name;
    };
    foreign('another.host-1-00', options.stagedMs + 60_000);
    const young = foreign('another.host-1-01', 0);
    await sweepStaging(temp.database, stores, options);
    assert.deepEqual(readdirSync(staging), [young]);
  });

  test('forgets answers that were kept for repeats longer than a day', async () => {
    const { account_id: accountId } = account;
    const day = 24 * hourMs;
    await temp.database.write(async (tx) => {
      for (const [key, ageMs] of [
        ['young', day - 60_000],
        ['old', day + 60_000],
      ] as const) {
        await runStatements(tx, [rememberFirst(accountId, key, `answer of ${key}`, () => new Error('kept'))]);
        await tx
          .updateTable('idempotency')
          .set({ created_at: Date.now() - ageMs })
          .where('key', '=', key)
          .execute();
      }
    });
    assert.equal(await recall(temp.database.read, accountId, 'young'), 'answer of young');
    assert.equal(await recall(temp.database.read, accountId, 'old'), undefined);
    await sweepStaging(temp.database, stores, options);
    const left = await temp.database.read.selectFrom('idempotency').select('key').execute();
    assert.deepEqual(left, [{ key: 'young' }]);
  });
});
