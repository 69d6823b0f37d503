// What can be told of a resumable upload before its first byte: its fields, and that it cannot end well, because its size,
// its id or the room it needs would be refused at the end. What it is shows only in its bytes, so it is refused here only
// when it would be refused as a picture and as a film; a client may say which of the two it is.
import { limitsOf } from '../../accounts/limits.ts';
import type { Account } from '../../accounts/tables.ts';
import type { Database } from '../../platform/database/database.ts';
import { AppError } from '../../platform/errors.ts';
import type { UploadFields } from '../new-object-row.ts';
import { cleanFileName, parseFolder, parseObjectId, parseTagList, videoIdPrefix } from '../object-fields.ts';
import { tooLarge } from './receive-file.ts';
import { partBytes } from './receive-parts.ts';
import { maxParts } from './resumable-rows.ts';
import { fieldsUnder, limitsUnder, type TokenTerms } from './upload-token.ts';

type Kind = 'image' | 'video';
export type Metadata = Readonly<Record<string, string | null>>;
export type PlannedUpload = {
  account: Account;
  token: TokenTerms | null;
  lengthBytes: number;
  metadata: Metadata;
};

export async function planUpload(database: Database, planned: PlannedUpload): Promise<UploadFields> {
  const { lengthBytes, metadata, token } = planned;
  const fields = fieldsUnder(token, readFields(metadata));
  if (lengthBytes === 0) throw new AppError('file_empty');
  if (lengthBytes > maxParts * partBytes) throw tooLarge(maxParts * partBytes);
  const faults = [];
  for (const kind of kindsOf(planned)) {
    const fault = await faultAs(kind, database, planned, fields);
    if (!fault) return fields;
    faults.push(fault);
  }
  throw mostTelling(faults);
}

function readFields(metadata: Metadata): UploadFields {
  const text = (name: string): string => metadata[name] ?? '';
  return {
    objectId: parseObjectId(text('object')),
    tags: parseTagList(text('tags')),
    folder: parseFolder(text('folder')),
    fileName: cleanFileName(text('filename') || text('name')),
  };
}

function kindsOf({ token, metadata }: PlannedUpload): Kind[] {
  const told = /^(image|video)\//.exec(metadata['filetype'] ?? metadata['type'] ?? '')?.[1] as
    | Kind
    | undefined;
  const kind = token?.kind ?? told;
  return kind ? [kind] : ['image', 'video'];
}

/** In the order in which an upload hears of its faults. */
async function faultAs(
  kind: Kind,
  database: Database,
  { account, token, lengthBytes }: PlannedUpload,
  { objectId }: UploadFields,
): Promise<AppError | null> {
  const limits = limitsOf(account);
  const { maxImageBytes, maxVideoBytes } = limitsUnder(token, limits);
  const maxBytes = kind === 'image' ? maxImageBytes : maxVideoBytes;
  if (maxBytes !== null && lengthBytes > maxBytes) return tooLarge(maxBytes);
  if (objectId !== null && (await isInUse(database, account.bucket_id, idAs(kind, objectId))))
    return new AppError('object_id_in_use');
  const { storageBytes, videoSeconds } = limits;
  if (kind === 'image' && storageBytes !== null && account.storage_used_bytes + lengthBytes > storageBytes)
    return new AppError('storage_limit_exceeded');
  // Counted in whole seconds, of which every film has one.
  if (kind === 'video' && videoSeconds !== null && account.video_seconds_used + 1 > videoSeconds)
    return new AppError('video_limit_exceeded');
  return null;
}

function idAs(kind: Kind, objectId: string): string {
  return kind === 'image' || objectId.startsWith(videoIdPrefix) ? objectId : videoIdPrefix + objectId;
}

/** Too large as both: the larger of the two maxima is what the uploader must know. */
function mostTelling(faults: readonly AppError[]): AppError {
  const other = faults.find(({ code }) => code !== 'file_too_large');
  return other ?? (faults.at(-1) as AppError);
}

async function isInUse(database: Database, bucketId: string, objectId: string): Promise<boolean> {
  const found = await database.read
    .selectFrom('objects')
    .select('generation')
    .where('bucket_id', '=', bucketId)
    .where('object_id', '=', objectId)
    .executeTakeFirst();
  return found !== undefined;
}
