// The one commit point of an upload: bytes durable under a fresh key, then one transaction that makes them an object.
// What dies before the commit leaves a key that no row names, and a janitor takes it.
import { randomBytes } from 'node:crypto';
import { takeStorage } from '../accounts/quota.ts';
import type { Account } from '../accounts/tables.ts';
import type { Database, Tx } from '../platform/database/database.ts';
import { AppError } from '../platform/errors.ts';
import { failpoint } from '../platform/failpoints.ts';
import { enqueue } from '../platform/jobs/jobs.ts';
import { newGeneration, originalKey } from './object-keys.ts';
import { changeFacets, facetsOf } from './facets.ts';
import { recall, remember } from './idempotency.ts';
import { manifestJob } from './manifests.ts';
import { videoIdPrefix } from './object-fields.ts';
import { type PublicUrls, storedObject } from './object-json.ts';
import type { ReceivedFile } from './receive-file.ts';
import type { Stores } from './stores.ts';
import type { ObjectRow } from './tables.ts';

export type UploadFields = {
  objectId: string | null;
  tags: string[];
  folder: string | null;
  fileName: string;
};
export type StoreUpload = {
  account: Account;
  file: ReceivedFile;
  fields: UploadFields;
  idempotencyKey?: string | undefined;
};
export type StoredAnswer = ReturnType<typeof storedObject>;

export class UploadStore {
  readonly #database: Database;
  readonly #stores: Stores;
  readonly #urls: PublicUrls;

  constructor(parts: { database: Database; stores: Stores; urls: PublicUrls }) {
    this.#database = parts.database;
    this.#stores = parts.stores;
    this.#urls = parts.urls;
  }

  async store(upload: StoreUpload): Promise<StoredAnswer> {
    const { staged } = upload.file;
    try {
      const row = this.#newRow(upload);
      // Saves the disk work, not more. Under a key only the transaction can tell a rival from the first of two repeats.
      if (row.custom_id && !upload.idempotencyKey && (await idInUse(this.#database.read, row)))
        throw new AppError('object_id_in_use');
      return await this.#storeRow(row, upload);
    } finally {
      await staged.discard();
    }
  }

  async #storeRow(row: Omit<ObjectRow, 'seq'>, { file, idempotencyKey }: StoreUpload): Promise<StoredAnswer> {
    const storage = this.#stores[row.backend];
    const key = originalKey(row.bucket_id, row.generation);
    let writing = false;
    try {
      failpoint('upload:received');
      await file.staged.commit(key);
      failpoint('upload:durable');
      writing = true;
      const answer = await this.#database.write((tx) => this.#commit(tx, row, idempotencyKey));
      failpoint('upload:committed');
      if (answer.repeated) await storage.delete(key);
      return answer.body;
    } catch (error) {
      if (!writing || isCertainlyNotCommitted(error)) await storage.delete(key).catch(() => undefined);
      throw error;
    }
  }

  async #commit(tx: Tx, row: Omit<ObjectRow, 'seq'>, idempotencyKey: string | undefined) {
    const first = idempotencyKey && (await recall(tx, row.account_id, idempotencyKey));
    if (first) return { body: JSON.parse(first) as StoredAnswer, repeated: true };
    const [used, taken] = await Promise.allSettled([
      idInUse(tx, row),
      takeStorage(tx, row.account_id, row.size_bytes),
    ]);
    if (used.status === 'rejected') throw used.reason;
    if (used.value) throw new AppError('object_id_in_use');
    if (taken.status === 'rejected') throw taken.reason;
    const object: ObjectRow = { ...row, seq: taken.value.seq };
    const body = storedObject(this.#urls, object);
    const [inserted] = await Promise.all([
      tx
        .insertInto('objects')
        .values(object)
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst(),
      changeFacets(tx, object, { add: facetsOf(object) }),
      enqueue(tx, [manifestJob(object)]),
      idempotencyKey ? remember(tx, row.account_id, idempotencyKey, JSON.stringify(body)) : undefined,
    ]);
    if (inserted.numInsertedOrUpdatedRows === 0n) throw new AppError('object_id_in_use');
    return { body, repeated: false };
  }

  #newRow({ account, file, fields }: StoreUpload): Omit<ObjectRow, 'seq'> {
    if (fields.objectId?.startsWith(videoIdPrefix)) throw new AppError('invalid_object_id');
    return {
      generation: newGeneration(),
      account_id: account.account_id,
      bucket_id: account.bucket_id,
      object_id: fields.objectId ?? randomBytes(6).toString('hex'),
      custom_id: fields.objectId === null ? 0 : 1,
      backend: account.storage_backend,
      kind: 'image',
      type: file.facts.type,
      size_bytes: file.sizeBytes,
      sha256: file.sha256,
      width: file.facts.width,
      height: file.facts.height,
      frames: file.facts.frames,
      alpha: file.facts.alpha ? 1 : 0,
      folder: fields.folder,
      tags: JSON.stringify(fields.tags),
      original_file_name: fields.fileName,
      status: 'ready',
      caption: null,
      created_at: Date.now(),
    };
  }
}

/** After any other failed commit the row may still turn up: its bytes stay, and the janitor compares key and row later. */
function isCertainlyNotCommitted(error: unknown): boolean {
  return error instanceof AppError && (error.status < 500 || error.code === 'disk_full');
}

async function idInUse(tx: Tx, row: Pick<ObjectRow, 'bucket_id' | 'object_id'>): Promise<boolean> {
  const found = await tx
    .selectFrom('objects')
    .select('generation')
    .where('bucket_id', '=', row.bucket_id)
    .where('object_id', '=', row.object_id)
    .executeTakeFirst();
  return found !== undefined;
}
