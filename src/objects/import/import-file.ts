// Imports one file of this machine, the way an upload over HTTP is received and stored: same checks, same limits.
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { limitsOf } from '../../accounts/limits.ts';
import type { Account } from '../../accounts/tables.ts';
import type { Database } from '../../platform/database/database.ts';
import { AppError, type ErrorCode } from '../../platform/errors.ts';
import { recall } from '../idempotency.ts';
import type { FileMark, ImportJournal } from './journal.ts';
import { cleanFileName, parseFolder } from '../object-fields.ts';
import { newOriginal } from '../uploads/new-original.ts';
import { receiveFile } from '../uploads/receive-file.ts';
import type { StoredAnswer, UploadStore } from '../uploads/store-upload.ts';
import type { Stores } from '../stores.ts';

export type ImportParts = {
  database: Database;
  stores: Stores;
  uploads: UploadStore;
  journal: ImportJournal;
};
export type ImportTarget = {
  root: string;
  account: Account;
  folder: string | null;
  tags: string[];
  /** Whether the folders below the root become folders of the objects. */
  keepPaths: boolean;
};
export type FileOutcome =
  | { kind: 'uploaded' | 'already'; path: string; bytes: number }
  | { kind: 'skipped' | 'failed'; path: string; reason: string };

const readChunkBytes = 256 * 1024;
const noImage: ReadonlySet<ErrorCode> = new Set(['unsupported_type', 'file_empty']);
/** What every further file would meet too. */
const stopping: ReadonlySet<ErrorCode> = new Set([
  'storage_limit_exceeded',
  'disk_full',
  'account_not_found',
]);

/** Throws only what must stop the whole import. */
export async function importFile(
  parts: ImportParts,
  target: ImportTarget,
  path: string,
): Promise<FileOutcome> {
  try {
    await using handle = await open(join(target.root, path), constants.O_RDONLY | constants.O_NOFOLLOW);
    return await importOpened(parts, target, path, handle);
  } catch (error) {
    if (!(error instanceof AppError)) return { kind: 'failed', path, reason: (error as Error).message };
    if (stopping.has(error.code)) throw error;
    return { kind: noImage.has(error.code) ? 'skipped' : 'failed', path, reason: error.message };
  }
}

async function importOpened(
  { database, stores, uploads, journal }: ImportParts,
  target: ImportTarget,
  path: string,
  handle: FileHandle,
): Promise<FileOutcome> {
  const { account } = target;
  const { size, mtimeMs } = await handle.stat();
  const mark: FileMark = { path, size, mtime_ms: Math.floor(mtimeMs) };
  if (journal.has(mark)) return { kind: 'already', path, bytes: size };
  const idempotencyKey = idempotencyKeyOf(target, mark);
  const first = await recall(database.read, account.account_id, idempotencyKey);
  if (first) {
    await journal.add(mark, (JSON.parse(first) as StoredAnswer).object_id);
    return { kind: 'already', path, bytes: size };
  }
  const fields = {
    objectId: null,
    tags: target.tags,
    folder: folderOf(target, path),
    fileName: cleanFileName(basename(path)),
  };
  const bytes = handle.createReadStream({ autoClose: false, highWaterMark: readChunkBytes });
  const file = await receiveFile(bytes, await newOriginal(stores, account), limitsOf(account));
  const stored = await uploads.store({ account, file, fields, idempotencyKey });
  await journal.add(mark, stored.object_id);
  return { kind: 'uploaded', path, bytes: file.sizeBytes };
}

function folderOf({ folder, keepPaths }: ImportTarget, path: string): string | null {
  const below = keepPaths ? dirname(path) : '.';
  return parseFolder([folder ?? '', below === '.' ? '' : below].filter((part) => part !== '').join('/'));
}

/** Finds the upload of a run that died after the commit and before its line in the journal. */
function idempotencyKeyOf({ root, account }: ImportTarget, mark: FileMark): string {
  const name = [account.account_id, join(root, mark.path), mark.size, mark.mtime_ms].join('\0');
  return `import:${createHash('sha256').update(name).digest('hex')}`;
}
