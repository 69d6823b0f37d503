// The rows of resumable uploads. Every step is one conditional statement, so that it does not matter how many requests of
// one upload run at once, or on which machines.
import { sql } from 'kysely';
import { lockAccount } from '../../accounts/lock-account.ts';
import type { Database } from '../../platform/database/database.ts';
import { type Statement, statement } from '../../platform/database/statement.ts';
import { AppError, type ErrorCode } from '../../platform/errors.ts';
import type { ResumablePartTable, ResumableUpload } from '../tables.ts';
import { isUploadId } from './upload-keys.ts';

/** After the last byte; and what has ended is remembered as long. */
export const keepForMs = 24 * 3600 * 1000;
export const maxParts = 10_000;
const leaseMs = 10_000;

export type Owner = { accountId: string; tokenHash?: string | undefined };

/** Undefined also for what is somebody else's. A token sees only what was begun with it. */
export async function findUpload(
  database: Database,
  { accountId, tokenHash }: Owner,
  uploadId: string,
): Promise<ResumableUpload | undefined> {
  if (!isUploadId(uploadId)) return undefined;
  const row = await database.read
    .selectFrom('resumable_uploads')
    .selectAll()
    .where('upload_id', '=', uploadId)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return tokenHash === undefined || row?.token_hash === tokenHash ? row : undefined;
}

/** Throws when there is none, and the reason when it was refused. */
export async function requireUpload(
  database: Database,
  owner: Owner,
  uploadId: string,
): Promise<ResumableUpload> {
  const row = await findUpload(database, owner, uploadId);
  if (!row || row.state === 'ended') throw new AppError('upload_not_found');
  if (row.state === 'refused') throw refusalOf(row);
  if (row.state === 'open' && row.expires_at <= database.now()) throw new AppError('upload_not_found');
  return row;
}

function refusalOf({ answer }: ResumableUpload): AppError {
  const { code, message } = JSON.parse(answer as string) as { code: ErrorCode; message: string };
  return new AppError(code, message);
}

export type NewUpload = Pick<
  ResumableUpload,
  'upload_id' | 'account_id' | 'bucket_id' | 'backend' | 'length_bytes' | 'metadata' | 'fields' | 'token_hash'
>;

/** A token has one upload at a time: whoever begins anew, after a page was loaded again perhaps, gives up the one before. */
export async function insertUpload(
  database: Database,
  upload: NewUpload,
  { maxOpen }: { maxOpen: number | null },
): Promise<void> {
  const now = database.now();
  const { token_hash: tokenHash } = upload;
  await database.write(async (tx) => {
    await lockAccount(tx, upload.account_id);
    if (tokenHash !== null)
      await tx
        .updateTable('resumable_uploads')
        .set({ state: 'ended', expires_at: now + keepForMs })
        .where('token_hash', '=', tokenHash)
        .where('state', '=', 'open')
        .execute();
    const { count } = await tx
      .selectFrom('resumable_uploads')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('account_id', '=', upload.account_id)
      .where('state', '=', 'open')
      .executeTakeFirstOrThrow();
    if (maxOpen !== null && count >= maxOpen) throw new AppError('too_many_uploads');
    const times = { created_at: now, expires_at: now + keepForMs, leased_until: 0, leased_by: null };
    const empty = { received_bytes: 0, parts: 0, holds_parts: 1, state: 'open', answer: null } as const;
    await tx
      .insertInto('resumable_uploads')
      .values({ ...upload, ...empty, ...times })
      .execute();
  });
}

/** The bytes of a part count from here on: only if the upload still stands where the part begins. */
export async function addPart(database: Database, part: ResumablePartTable): Promise<void> {
  const now = database.now();
  const { upload_id, start_byte, size_bytes } = part;
  await database.writeBatch([
    advance(
      { upload_id, start_byte, size_bytes, expires_at: now + keepForMs },
      () => new AppError('offset_conflict'),
    ),
    insertPart(part),
  ]);
}

const advance = statement<'upload_id' | 'start_byte' | 'size_bytes' | 'expires_at'>(
  (p) => sql`update resumable_uploads
    set received_bytes = received_bytes + ${p('size_bytes')}, parts = parts + 1, expires_at = ${p('expires_at')}
    where upload_id = ${p('upload_id')} and received_bytes = ${p('start_byte')} and state = 'open'`,
);
const insertPart = statement<keyof ResumablePartTable>(
  (p) => sql`insert into resumable_parts (upload_id, start_byte, size_bytes, name)
    values (${p('upload_id')}, ${p('start_byte')}, ${p('size_bytes')}, ${p('name')})`,
);

export function partsOf(database: Database, uploadId: string): Promise<ResumablePartTable[]> {
  return database.read
    .selectFrom('resumable_parts')
    .selectAll()
    .where('upload_id', '=', uploadId)
    .orderBy('start_byte')
    .execute();
}

/** True when the upload is now ours to finish, for a few seconds unless renewed. */
export async function claimUpload(database: Database, uploadId: string, claimant: string): Promise<boolean> {
  const now = database.now();
  const { numUpdatedRows } = await database.write((tx) =>
    tx
      .updateTable('resumable_uploads')
      .set({ leased_by: claimant, leased_until: now + leaseMs })
      .where('upload_id', '=', uploadId)
      .where('state', '=', 'open')
      .where((eb) => eb('received_bytes', '=', eb.ref('length_bytes')))
      .where((eb) => eb.or([eb('leased_by', '=', claimant), eb('leased_until', '<=', now)]))
      .executeTakeFirstOrThrow(),
  );
  return numUpdatedRows > 0n;
}

export async function releaseUpload(database: Database, uploadId: string, claimant: string): Promise<void> {
  await database.write((tx) =>
    tx
      .updateTable('resumable_uploads')
      .set({ leased_by: null, leased_until: 0 })
      .where('upload_id', '=', uploadId)
      .where('leased_by', '=', claimant)
      .execute(),
  );
}

/** For the transaction that makes the object: whoever is second changes nothing, and is undone. */
export function markDone(database: Database, uploadId: string, answer: unknown): Statement {
  const expires_at = database.now() + keepForMs;
  return endOpen(
    { upload_id: uploadId, state: 'done', answer: JSON.stringify(answer), expires_at },
    () => new AppError('conflict', 'The upload was finished by another request'),
  );
}

const endOpen = statement<'upload_id' | 'state' | 'answer' | 'expires_at'>(
  (p) => sql`update resumable_uploads
    set state = ${p('state')}, answer = ${p('answer')}, expires_at = ${p('expires_at')}
    where upload_id = ${p('upload_id')} and state = 'open'`,
);

export async function markRefused(database: Database, uploadId: string, error: AppError): Promise<void> {
  const answer = JSON.stringify({ code: error.code, message: error.message });
  const expires_at = database.now() + keepForMs;
  await database.writeBatch([endOpen({ upload_id: uploadId, state: 'refused', answer, expires_at })]);
}

/** Terminated by its owner, whatever has become of it; an object it became stays. */
export async function endUpload(database: Database, uploadId: string): Promise<void> {
  const expires_at = database.now() + keepForMs;
  await database.write((tx) =>
    tx
      .updateTable('resumable_uploads')
      .set({ state: 'ended', expires_at })
      .where('upload_id', '=', uploadId)
      .execute(),
  );
}
