import assert from 'node:assert/strict';
import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { newTestAccount } from '../../../test/support/object-rows.ts';
import { openTempDatabase, type TempDatabase } from '../../../test/support/temp-database.ts';
import { keysIn, openTempStores } from '../../../test/support/temp-stores.ts';
import type { Account } from '../../accounts/tables.ts';
import { parseObjectKey } from '../object-keys.ts';
import type { Stores } from '../stores.ts';
import { sweepOrphans } from '../sweep.ts';
import type { ResumableUpload } from '../tables.ts';
import { receiveParts } from './receive-parts.ts';
import { endUpload, insertUpload } from './resumable-rows.ts';
import { sweepUploads } from './sweep-uploads.ts';
import { newPartName, newUploadId, parsePartKey, partKey } from './upload-keys.ts';
import { createToken } from './upload-token.ts';

const hourMs = 3_600_000;

describe('the sweep of uploads', () => {
  let temp: TempDatabase;
  let account: Account;
  let stores: Stores;
  let rounds = 0;
  before(async () => {
    temp = await openTempDatabase();
    account = await newTestAccount(temp.database);
  });
  beforeEach(async () => {
    stores = openTempStores(join(temp.folder, `${++rounds}`));
    await temp.database.write(async (tx) => {
      for (const table of ['resumable_uploads', 'resumable_parts', 'upload_tokens'] as const)
        await tx.deleteFrom(table).execute();
    });
  });
  after(() => temp[Symbol.asyncDispose]());

  const find = (uploadId: string): Promise<ResumableUpload | undefined> =>
    temp.database.read
      .selectFrom('resumable_uploads')
      .selectAll()
      .where('upload_id', '=', uploadId)
      .executeTakeFirst();
  const alter = (uploadId: string, change: Partial<ResumableUpload>) =>
    temp.database.write((tx) =>
      tx.updateTable('resumable_uploads').set(change).where('upload_id', '=', uploadId).execute(),
    );
  const sweep = (): Promise<void> => sweepUploads(temp.database, stores);

  /** An upload of ten bytes of which five have come. */
  async function begin(tokenHash: string | null = null): Promise<string> {
    const uploadId = newUploadId();
    const { account_id, bucket_id } = account;
    const fixed = { backend: 'files', metadata: '{}', fields: '{}', length_bytes: 10 } as const;
    await insertUpload(
      temp.database,
      { ...fixed, upload_id: uploadId, account_id, bucket_id, token_hash: tokenHash },
      { maxOpen: null },
    );
    const upload = (await find(uploadId)) as ResumableUpload;
    await receiveParts({ database: temp.database, storage: stores.files, upload }, bytes('12345'));
    return uploadId;
  }

  test('keeps what is open, ends what has expired, and forgets it a day later', async () => {
    const [open, expired] = [await begin(), await begin()];
    await alter(expired, { expires_at: Date.now() - 1 });
    await sweep();
    assert.equal((await find(open))?.state, 'open');
    assert.deepEqual(
      (await keysIn(stores.files)).map((key) => parsePartKey(key)?.uploadId),
      [open],
    );
    const ended = await find(expired);
    assert.deepEqual([ended?.state, ended?.holds_parts], ['ended', 0]);
    await alter(expired, { expires_at: Date.now() - 1 });
    await sweep();
    assert.equal(await find(expired), undefined);
  });

  test('takes the parts of what has ended, also those that came late', async () => {
    const uploadId = await begin();
    await endUpload(temp.database, uploadId);
    await sweep();
    assert.deepEqual(await keysIn(stores.files), []);
    await stores.files.put(
      partKey({ bucketId: account.bucket_id, uploadId }, newPartName()),
      Buffer.from('late'),
    );
    await alter(uploadId, { expires_at: Date.now() - 1 });
    await sweep();
    assert.deepEqual(await keysIn(stores.files), []);
  });

  test('leaves an upload that somebody is making an object of', async () => {
    const uploadId = await begin();
    await alter(uploadId, { expires_at: Date.now() - 1, leased_until: Date.now() + hourMs });
    await sweep();
    assert.equal((await find(uploadId))?.state, 'open');
  });

  test('forgets tokens that have expired, unless an upload of theirs is remembered', async () => {
    const terms = { folder: null, tags: null, object_id: null, max_bytes: null, kind: null };
    const owner = { account_id: account.account_id, key_id: 'key' };
    for (const lifeMs of [-1, -1, hourMs]) await createToken(temp.database, { ...terms, ...owner, lifeMs });
    const tokens = () =>
      temp.database.read.selectFrom('upload_tokens').selectAll().orderBy('expires_at').execute();
    const [used, , fresh] = await tokens();
    await begin(used?.token_hash);
    await sweep();
    assert.deepEqual(
      (await tokens()).map((token) => token.token_hash),
      [used?.token_hash, fresh?.token_hash],
    );
  });

  test('the walk through storage takes parts of uploads that nobody knows, when they are old', async () => {
    const known = await begin();
    const old = await put(newUploadId(), 2 * hourMs);
    const young = await put(newUploadId(), 0);
    for (const key of [old, young]) assert.equal(parseObjectKey(key), null);
    const noSignal = new AbortController().signal;
    assert.equal(await sweepOrphans(temp.database, stores, noSignal), 1);
    const left = await keysIn(stores.files);
    assert.equal(left.length, 2);
    assert.ok(left.includes(young) && left.some((key) => parsePartKey(key)?.uploadId === known));
  });

  async function put(uploadId: string, ageMs: number): Promise<string> {
    const key = partKey({ bucketId: account.bucket_id, uploadId }, newPartName());
    await stores.files.put(key, Buffer.from('bytes'));
    const at = new Date(Date.now() - ageMs);
    utimesSync(stores.files.pathOnDisk(key) as string, at, at);
    return key;
  }
});

async function* bytes(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}
