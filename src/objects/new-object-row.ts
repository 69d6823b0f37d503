// The row of an object that is about to be stored: from what was sent with it, and what was found in it. Pure.
import type { Account } from '../accounts/tables.ts';
import { AppError } from '../platform/errors.ts';
import { randomHex } from '../platform/random.ts';
import { parseObjectId, videoIdPrefix } from './object-fields.ts';
import type { ReceivedContent, ReceivedFile } from './uploads/receive-file.ts';
import type { ObjectRow } from './tables.ts';

export type UploadFields = {
  objectId: string | null;
  tags: string[];
  folder: string | null;
  fileName: string;
};

/** What a decoder found in a film, and the picture it is shown by. */
export type InspectedFilm = {
  readonly durationMs: number;
  readonly width: number;
  readonly height: number;
  /** JSON, for the record. */
  readonly film: string;
  /** A file that is ours to remove. */
  readonly posterPath: string;
};
/** The place in the order is taken when it is stored. */
export type NewRow = Omit<ObjectRow, 'seq' | 'thumbhash' | 'dominant_color' | 'error' | 'caption_model'>;

type Upload = { account: Account; file: ReceivedFile; fields: UploadFields };

export function newRow({ account, file, fields }: Upload, film: InspectedFilm | null): NewRow {
  const { original, content, sizeBytes, sha256 } = file;
  return {
    generation: original.generation,
    account_id: account.account_id,
    bucket_id: account.bucket_id,
    object_id: objectIdFor(content.kind, fields.objectId),
    custom_id: fields.objectId === null ? 0 : 1,
    backend: original.backend,
    kind: content.kind,
    ...contentColumns(content, film),
    size_bytes: sizeBytes,
    sha256,
    folder: fields.folder,
    tags: JSON.stringify(fields.tags),
    original_file_name: fields.fileName,
    caption: null,
    created_at: Date.now(),
  };
}

/** Ids tell films from pictures. */
function objectIdFor(kind: NewRow['kind'], given: string | null): string {
  const isPrefixed = given?.startsWith(videoIdPrefix) === true;
  if (kind === 'image') {
    if (isPrefixed) throw new AppError('invalid_object_id');
    return given ?? randomHex(6);
  }
  const name = isPrefixed ? given : `${videoIdPrefix}${given ?? randomHex(6)}`;
  return parseObjectId(name) as string;
}

type ContentColumns = Pick<
  NewRow,
  'type' | 'width' | 'height' | 'frames' | 'alpha' | 'status' | 'duration_ms' | 'progress' | 'film'
>;

function contentColumns(content: ReceivedContent, inspected: InspectedFilm | null): ContentColumns {
  if (content.kind === 'image') {
    const { type, width, height, frames, alpha } = content.facts;
    const picture = { type, width, height, frames, alpha: alpha ? 1 : 0 };
    return { ...picture, status: 'ready', duration_ms: null, progress: null, film: null };
  }
  const { width, height, durationMs, film } = inspected as InspectedFilm;
  const poster = { type: content.type, width, height, frames: 1, alpha: 0 };
  return { ...poster, status: 'queued', duration_ms: durationMs, progress: 0, film };
}
