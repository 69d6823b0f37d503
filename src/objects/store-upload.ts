// The one commit point of an upload: bytes durable under a fresh key, then one transaction that makes them an object.
// What dies before the commit leaves a key that no row names, and a janitor takes it.
import { sql } from 'kysely';
import { noticeFullStorage } from '../accounts/full-storage.ts';
import { holdAccount, takeStorage } from '../accounts/quota.ts';
import type { Account } from '../accounts/tables.ts';
import { eventStatements } from '../events/record-event.ts';
import type { Database, Tx } from '../platform/database/database.ts';
import { type Statement, statement } from '../platform/database/statement.ts';
import { AppError, retryAfter } from '../platform/errors.ts';
import { failpoint } from '../platform/failpoints.ts';
import { enqueueStatement } from '../platform/jobs/jobs.ts';
import { randomHex } from '../platform/random.ts';
import { facetsOf, facetStatements } from './facets.ts';
import { recall, rememberFirst } from './idempotency.ts';
import { manifestJob } from './manifests.ts';
import { videoIdPrefix } from './object-fields.ts';
import { objectEventData } from './object-event-data.ts';
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
/** The place in the order is taken when it is stored. */
type NewRow = Omit<ObjectRow, 'seq' | 'thumbhash' | 'dominant_color'>;
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
    try {
      const row = this.#newRow(upload);
      // Saves the disk work, not more. Under a key only the transaction can tell a rival from the first of two repeats.
      if (row.custom_id && !upload.idempotencyKey && (await idInUse(this.#database.read, row)))
        throw new AppError('object_id_in_use');
      return await this.#storeRow(row, upload);
    } finally {
      await upload.file.original.file.discard();
    }
  }

  async #storeRow(row: NewRow, { file, idempotencyKey }: StoreUpload): Promise<StoredAnswer> {
    const { original } = file;
    let writing = false;
    try {
      failpoint('upload:received');
      await original.file.commit();
      failpoint('upload:durable');
      writing = true;
      const body = storedObject(this.#urls, row);
      await this.#database.writeBatch([
        ...commitStatements(row, body, idempotencyKey),
        ...this.#createdEvent(row),
      ]);
      failpoint('upload:committed');
      return body;
    } catch (error) {
      if (!writing || isCertainlyNotCommitted(error))
        await this.#stores[original.backend].delete(original.key).catch(() => undefined);
      if (error instanceof Repeated) return this.#firstAnswer(row.account_id, idempotencyKey as string);
      throw error;
    }
  }

  async #firstAnswer(accountId: string, idempotencyKey: string): Promise<StoredAnswer> {
    const answer = await recall(this.#database.read, accountId, idempotencyKey);
    if (answer === undefined) throw new AppError('overloaded', undefined, retryAfter(1));
    return JSON.parse(answer) as StoredAnswer;
  }

  #createdEvent(row: NewRow): Statement[] {
    const data = objectEventData(this.#urls, row);
    return eventStatements({ accountId: row.account_id, type: 'object.created', data, at: row.created_at });
  }

  #newRow({ account, file, fields }: StoreUpload): NewRow {
    if (fields.objectId?.startsWith(videoIdPrefix)) throw new AppError('invalid_object_id');
    return {
      generation: file.original.generation,
      account_id: account.account_id,
      bucket_id: account.bucket_id,
      object_id: fields.objectId ?? randomHex(6),
      custom_id: fields.objectId === null ? 0 : 1,
      backend: file.original.backend,
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

/** Another request under the same Idempotency-Key was first. */
class Repeated extends Error {}

/** All that makes stored bytes an object. In this order, because the first that is refused is what the uploader hears. */
function commitStatements(row: NewRow, body: StoredAnswer, idempotencyKey: string | undefined): Statement[] {
  const remembered = (key: string): Statement =>
    rememberFirst(row.account_id, key, JSON.stringify(body), () => new Repeated());
  return [
    holdAccount(row.account_id),
    ...(idempotencyKey ? [remembered(idempotencyKey)] : []),
    insertObject(row, () => new AppError('object_id_in_use')),
    noticeFullStorage(row.account_id, row.size_bytes),
    takeStorage(row.account_id, row.size_bytes),
    ...facetStatements({ account_id: row.account_id, seq: null }, { add: facetsOf(row) }),
    enqueueStatement(manifestJob(row)),
  ];
}

const newRowColumns = [
  'generation',
  'account_id',
  'bucket_id',
  'object_id',
  'custom_id',
  'backend',
  'kind',
  'type',
  'size_bytes',
  'sha256',
  'width',
  'height',
  'frames',
  'alpha',
  'folder',
  'tags',
  'original_file_name',
  'status',
  'caption',
  'created_at',
] as const satisfies (keyof NewRow)[];

/** Takes the account's next place, which `takeStorage` then moves on. */
const insertObject = statement<keyof NewRow>(
  (p) => sql`insert into objects (seq, ${sql.join(newRowColumns.map((name) => sql.ref(name)))})
    values ((select next_seq from accounts where account_id = ${p('account_id')}), ${sql.join(newRowColumns.map((name) => p(name)))})
    on conflict (bucket_id, object_id) do nothing`,
);

/** After any other failed commit the row may still turn up: its bytes stay, and the janitor compares key and row later. */
function isCertainlyNotCommitted(error: unknown): boolean {
  if (error instanceof Repeated) return true;
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
