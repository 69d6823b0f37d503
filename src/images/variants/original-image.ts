// What the renderer needs of a stored object: where its original lies and what is known of it. A film is shown by its
// poster, or by the frame of a moment.
import { AppError } from '../../platform/errors.ts';
import { filmKey, originalKey, posterName } from '../../objects/object-keys.ts';
import type { StorageBackend } from '../../accounts/tables.ts';
import type { Stores } from '../../objects/stores.ts';
import type { ObjectRow } from '../../objects/tables.ts';
import type { SourceFacts } from '../rendering/plan.ts';

export type OriginalImage = {
  readonly backend: StorageBackend;
  readonly bucketId: string;
  /** 24 hexadecimal digits. */
  readonly generation: string;
  readonly facts: SourceFacts;
  /** What another process makes the same of. */
  readonly row: ImageRow;
  /** Of a film whose frame is wanted; its file is then the film, of this type. */
  readonly moment?: Moment;
  /** Asked only when there is something to render. */
  localPath(): Promise<string>;
};
export type Moment = { readonly atMs: number; readonly filmType: string };

export type ImageRow = Pick<
  ObjectRow,
  | 'backend'
  | 'bucket_id'
  | 'generation'
  | 'kind'
  | 'type'
  | 'width'
  | 'height'
  | 'frames'
  | 'alpha'
  | 'duration_ms'
>;

const stillType = 'image/jpeg';

/** A moment counts only for films; after their end it is the last. */
export function originalImageOf(stores: Stores, object: ImageRow, seconds?: number): OriginalImage {
  const { bucket_id: bucketId, generation, width, height, frames, alpha, kind } = object;
  const isFilm = kind === 'video';
  const moment = isFilm && seconds !== undefined ? momentOf(object, seconds) : undefined;
  const key =
    isFilm && !moment ? filmKey(bucketId, generation, posterName) : originalKey(bucketId, generation);
  return {
    backend: object.backend,
    bucketId,
    generation,
    facts: { width, height, frames, alpha: alpha === 1, type: isFilm ? stillType : object.type },
    row: imageRow(object),
    ...(moment ? { moment } : {}),
    localPath: async () => {
      const copy = await stores[object.backend].localCopy(key);
      if (!copy) throw new AppError('object_not_found');
      // A copy stays for minutes after it was asked for, which is longer than a picture may take.
      copy.release();
      return copy.path;
    },
  };
}

/** Without all else that is known of the object. */
function imageRow(object: ImageRow): ImageRow {
  const { backend, bucket_id, generation, kind, type, width, height, frames, alpha, duration_ms } = object;
  return { backend, bucket_id, generation, kind, type, width, height, frames, alpha, duration_ms };
}

function momentOf({ type, duration_ms: durationMs }: ImageRow, seconds: number): Moment {
  return { atMs: Math.min(Math.round(seconds * 1000), durationMs ?? 0), filmType: type };
}

/** Files that belong to a picture of its own, where a film has many. */
export function nameFor({ moment }: Pick<OriginalImage, 'moment'>, fileName: string): string {
  return moment ? `${moment.atMs}-${fileName}` : fileName;
}
