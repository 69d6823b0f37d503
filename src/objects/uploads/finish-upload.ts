// Makes the object of a resumable upload whose bytes have all come: its parts go through the same pipeline as any file.
// Whoever asks for it next takes over from one that died on the way; that the upload is done is marked in the transaction
// of the object, so there is never a second one.
import { setTimeout as pause } from 'node:timers/promises';
import { limitsOf } from '../../accounts/limits.ts';
import type { Account } from '../../accounts/tables.ts';
import type { Database } from '../../platform/database/database.ts';
import { AppError, retryAfter } from '../../platform/errors.ts';
import { failpoint } from '../../platform/failpoints.ts';
import { randomHex } from '../../platform/random.ts';
import { newOriginal } from './new-original.ts';
import type { UploadFields } from '../new-object-row.ts';
import { receiveFile } from './receive-file.ts';
import type { StoredAnswer, UploadStore } from './store-upload.ts';
import type { Stores } from '../stores.ts';
import type { ResumableUpload, UploadToken } from '../tables.ts';
import { clearParts } from './clear-parts.ts';
import {
  claimUpload,
  findUpload,
  markDone,
  markRefused,
  partsOf,
  releaseUpload,
  requireUpload,
} from './resumable-rows.ts';
import { partKey } from './upload-keys.ts';
import { assertKindUnder, findToken, limitsUnder, spendToken } from './upload-token.ts';

const renewEveryMs = 3000;
const lookEveryMs = 200;
const maxWaitMs = 45_000;

export type FinishParts = { database: Database; stores: Stores; uploads: UploadStore };

/** The object's record, whoever has made it. Throws why it was refused, now or before. */
export async function finishUpload(
  parts: FinishParts,
  account: Account,
  uploadId: string,
): Promise<StoredAnswer> {
  const owner = { accountId: account.account_id };
  const claimant = randomHex(8);
  for (const until = Date.now() + maxWaitMs; ;) {
    const upload = await requireUpload(parts.database, owner, uploadId);
    if (upload.state === 'done') return answerOf(upload);
    if (upload.received_bytes < upload.length_bytes) throw new AppError('upload_unfinished');
    if (await claimUpload(parts.database, uploadId, claimant))
      return finishClaimed(parts, account, upload, claimant);
    if (Date.now() > until) throw new AppError('overloaded', undefined, retryAfter(5));
    await pause(lookEveryMs);
  }
}

function answerOf({ answer }: ResumableUpload): StoredAnswer {
  return JSON.parse(answer as string) as StoredAnswer;
}

async function finishClaimed(
  parts: FinishParts,
  account: Account,
  upload: ResumableUpload,
  claimant: string,
): Promise<StoredAnswer> {
  const { database, stores } = parts;
  const { upload_id: uploadId } = upload;
  const renew = (): void => void claimUpload(database, uploadId, claimant).catch(() => undefined);
  const renewing = setInterval(renew, renewEveryMs);
  try {
    const answer = await storeParts(parts, account, upload);
    failpoint('resumable:stored');
    // What stays of them is the janitor's.
    await clearParts(database, stores, upload).catch(() => undefined);
    return answer;
  } catch (error) {
    const now = await findUpload(database, { accountId: account.account_id }, uploadId);
    if (now?.state === 'done') return answerOf(now);
    if (isRefusal(error)) {
      await markRefused(database, uploadId, error);
      await clearParts(database, stores, upload).catch(() => undefined);
    } else await releaseUpload(database, uploadId, claimant);
    throw error;
  } finally {
    clearInterval(renewing);
  }
}

/** The file's own fault, or its account's: asking again would not help. */
function isRefusal(error: unknown): error is AppError {
  return error instanceof AppError && error.status < 500;
}

async function storeParts(
  { database, stores, uploads }: FinishParts,
  account: Account,
  upload: ResumableUpload,
): Promise<StoredAnswer> {
  const token = await tokenOf(database, upload);
  const limits = limitsUnder(token, limitsOf(account));
  const original = await newOriginal(stores, account);
  const file = await receiveFile(bytesOf(database, stores, upload), original, limits);
  failpoint('resumable:joined');
  try {
    assertKindUnder(token, file.content.kind);
  } catch (error) {
    await original.file.discard();
    throw error;
  }
  return uploads.store({
    account,
    file,
    fields: JSON.parse(upload.fields) as UploadFields,
    guards: (answer) => [markDone(database, upload.upload_id, answer), ...spendToken(database, token)],
  });
}

async function tokenOf(
  database: Database,
  { token_hash: tokenHash }: ResumableUpload,
): Promise<UploadToken | null> {
  if (tokenHash === null) return null;
  const token = await findToken(database, tokenHash);
  if (!token) throw new AppError('upload_token_spent');
  return token;
}

async function* bytesOf(
  database: Database,
  stores: Stores,
  { upload_id: uploadId, bucket_id: bucketId, backend, length_bytes: lengthBytes }: ResumableUpload,
): AsyncGenerator<Buffer> {
  let at = 0;
  for (const { start_byte: start, size_bytes: size, name } of await partsOf(database, uploadId)) {
    const stream = await stores[backend].get(partKey({ bucketId, uploadId }, name));
    if (!stream || start !== at) throw new Error(`A part of the upload ${uploadId} is missing`);
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      at += chunk.length;
      yield chunk;
    }
    if (at !== start + size) throw new Error(`A part of the upload ${uploadId} is cut short`);
  }
  if (at !== lengthBytes) throw new Error(`The upload ${uploadId} is not complete`);
}
