// The one commit point of an upload: bytes durable under a fresh key, then one transaction that makes them an object.
// What dies before the commit leaves a key that no row names, and a janitor takes it.
import { sql } from 'kysely';
import { readFile, rm } from 'node:fs/promises';
import { noticeFullStorage } from '../../accounts/full-storage.ts';
import { countedSeconds, holdAccount, takeStorage, takeVideo } from '../../accounts/quota.ts';
import type { Account } from '../../accounts/tables.ts';
import { eventStatements } from '../../events/record-event.ts';
import type { Database, Tx } from '../../platform/database/database.ts';
import { type Statement, statement } from '../../platform/database/statement.ts';
import { AppError, retryAfter } from '../../platform/errors.ts';
import { failpoint } from '../../platform/failpoints.ts';
import { enqueueStatement, type Job } from '../../platform/jobs/jobs.ts';
import { objectTopic, objectTopicKey } from '../change-object.ts';
import { facetsOf, facetStatements } from '../facets.ts';
import { recall, rememberFirst } from '../idempotency.ts';
import { manifestJob } from '../manifests.ts';
import { filmFolderKey, filmKey, posterName } from '../object-keys.ts';
import { objectEventData } from '../object-event-data.ts';
import { type PublicUrls, storedObject } from '../object-json.ts';
import { type InspectedFilm, type NewRow, newRow, type UploadFields } from '../new-object-row.ts';
import type { ReceivedFile } from './receive-file.ts';
import type { Stores } from '../stores.ts';
import type { ObjectRow } from '../tables.ts';

export type StoreUpload = {
  account: Account;
  file: ReceivedFile;
  fields: UploadFields;
  idempotencyKey?: string | undefined;
  /** What else must hold at the commit, and is undone with it: what is refused here is what the uploader hears. */
  guards?: ((answer: StoredAnswer) => readonly Statement[]) | undefined;
  /** Holds the account, and what else it came by. */
  hold?: (() => Statement) | undefined;
};
export type FilmParts = {
  /** Throws an AppError when the file is no film we take. */
  inspect(film: { path: string; type: string }): Promise<InspectedFilm>;
  /** What makes its streams. */
  processJob(film: Pick<ObjectRow, 'generation'>): Job;
};

type UploadStoreParts = { database: Database; stores: Stores; urls: PublicUrls; films: FilmParts };
export type StoredAnswer = ReturnType<typeof storedObject>;

export class UploadStore {
  readonly #database: Database;
  readonly #stores: Stores;
  readonly #urls: PublicUrls;
  readonly #films: FilmParts;

  constructor(parts: UploadStoreParts) {
    this.#database = parts.database;
    this.#stores = parts.stores;
    this.#urls = parts.urls;
    this.#films = parts.films;
  }

  /** What the first request under this key was answered. */
  async firstAnswer(account: Account, idempotencyKey: string): Promise<StoredAnswer | undefined> {
    const kept = await recall(this.#database.read, account.account_id, idempotencyKey);
    if (kept === undefined) return undefined;
    const answer = JSON.parse(kept) as StoredAnswer;
    await this.#everyoneKnows({ bucket_id: account.bucket_id, object_id: answer.object_id });
    return answer;
  }

  async store(upload: StoreUpload): Promise<StoredAnswer> {
    let film: InspectedFilm | null = null;
    try {
      film = await this.#inspect(upload.file);
      const row = newRow(upload, film);
      // Saves the disk work, not more. Under a key only the transaction can tell a rival from the first of two repeats.
      if (row.custom_id && !upload.idempotencyKey && (await idInUse(this.#database.read, row)))
        throw new AppError('object_id_in_use');
      return await this.#storeRow(row, upload, film);
    } finally {
      await upload.file.original.file.discard();
      if (film) await rm(film.posterPath, { force: true });
    }
  }

  async #inspect({ original, content }: ReceivedFile): Promise<InspectedFilm | null> {
    if (content.kind === 'image') return null;
    const path = await original.file.localPath();
    return this.#films.inspect({ path, type: content.type });
  }

  async #storeRow(
    row: NewRow,
    { account, file, idempotencyKey, guards, hold }: StoreUpload,
    film: InspectedFilm | null,
  ): Promise<StoredAnswer> {
    const { original } = file;
    let writing = false;
    try {
      failpoint('upload:received');
      await original.file.commit();
      if (film) await this.#keepPoster(row, film);
      failpoint('upload:durable');
      writing = true;
      const body = storedObject(this.#urls, row);
      const jobs = film ? [this.#films.processJob(row)] : [];
      await this.#database.writeBatch([
        hold?.() ?? holdAccount(row.account_id),
        ...commitStatements(row, body, { idempotencyKey, jobs, guards: guards?.(body) ?? [] }),
        ...this.#createdEvent(row),
      ]);
      failpoint('upload:committed');
      if (row.custom_id) await this.#everyoneKnows(row);
      return body;
    } catch (error) {
      if (!writing || isCertainlyNotCommitted(error))
        await this.#forget(row, original.key).catch(() => undefined);
      if (!(error instanceof Repeated)) throw error;
      const answer = await this.firstAnswer(account, idempotencyKey as string);
      if (!answer) throw new AppError('overloaded', undefined, retryAfter(1));
      return answer;
    }
  }

  /** Nobody may be shown what another object had under this id, once it is answered. */
  #everyoneKnows(object: Pick<NewRow, 'bucket_id' | 'object_id'>): Promise<void> {
    return this.#database.everyoneKnows(objectTopic, objectTopicKey(object));
  }

  #createdEvent(row: NewRow): Statement[] {
    const data = objectEventData(this.#urls, { ...row, error: null });
    return eventStatements({ accountId: row.account_id, type: 'object.created', data, at: row.created_at });
  }

  async #keepPoster(row: NewRow, { posterPath }: InspectedFilm): Promise<void> {
    const key = filmKey(row.bucket_id, row.generation, posterName);
    await this.#stores[row.backend].put(key, await readFile(posterPath));
    failpoint('upload:poster-kept');
  }

  async #forget({ backend, bucket_id: bucketId, generation, kind }: NewRow, key: string): Promise<void> {
    await this.#stores[backend].delete(key);
    if (kind === 'video') await this.#stores[backend].deleteFolder(filmFolderKey(bucketId, generation));
  }
}

/** Another request under the same Idempotency-Key was first. */
class Repeated extends Error {}

type CommitParts = {
  idempotencyKey: string | undefined;
  jobs: readonly Job[];
  guards: readonly Statement[];
};

/**
 * All that makes stored bytes an object of an account that is held. In this order, because the first that is refused is
 * what the uploader hears.
 */
function commitStatements(
  row: NewRow,
  body: StoredAnswer,
  { idempotencyKey, jobs, guards }: CommitParts,
): Statement[] {
  const remembered = (key: string): Statement =>
    rememberFirst(row.account_id, key, JSON.stringify(body), () => new Repeated());
  return [
    ...(idempotencyKey ? [remembered(idempotencyKey)] : []),
    ...guards,
    insertObject(row, () => new AppError('object_id_in_use')),
    ...takeRoom(row),
    ...facetStatements({ account_id: row.account_id, seq: null }, { add: facetsOf(row) }),
    enqueueStatement(manifestJob(row)),
    ...jobs.map(enqueueStatement),
  ];
}

/** Pictures take room in bytes, films in seconds. */
function takeRoom({
  account_id: accountId,
  size_bytes: bytes,
  duration_ms: durationMs,
}: NewRow): Statement[] {
  if (durationMs !== null) return [takeVideo(accountId, countedSeconds(durationMs))];
  return [noticeFullStorage(accountId, bytes), takeStorage(accountId, bytes)];
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
  'duration_ms',
  'progress',
  'film',
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
