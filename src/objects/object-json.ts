// The JSON shapes of objects, as the API's users know them, and the public addresses in them.
import { type Static, Type } from 'typebox';
import type { StorageBackend } from '../accounts/tables.ts';
import { toKilobytes } from '../accounts/units.ts';
import { playableRenditions } from './film-renditions.ts';
import type { ObjectRow } from './tables.ts';

export type PublicUrls = Readonly<Record<StorageBackend, string>>;

export const thumbnailName = 'h-200_w-200.webp';

const commonFields = {
  object_url: Type.String({ description: 'Base address of the object' }),
  original: Type.String({ description: 'Address of the original file' }),
  object_id: Type.String(),
  tags: Type.Array(Type.String()),
  size: Type.Number({ description: 'Kilobytes' }),
  type: Type.String({ description: 'MIME type, decided by the bytes' }),
  folder: Type.Union([Type.String(), Type.Null()]),
  original_file_name: Type.String(),
};
const imageFields = {
  optimised: Type.Optional(Type.String({ description: 'Address of the WebP version (images only)' })),
  height: Type.Optional(Type.Integer({ description: 'Pixels (images only)' })),
  width: Type.Optional(Type.Integer({ description: 'Pixels (images only)' })),
};

export const StoredObject = Type.Object({
  ...commonFields,
  ...imageFields,
  video_url: Type.Optional(Type.String({ description: 'HLS address (videos only)' })),
});

export const ObjectDetails = Type.Object({
  ...StoredObject.properties,
  created_at: Type.String(),
  status: Type.String(),
  caption: Type.Optional(Type.String()),
  duration: Type.Optional(Type.Number({ description: 'Seconds (videos only)' })),
  progress: Type.Optional(
    Type.Integer({ description: 'Per cent of the processing that is done (videos only)' }),
  ),
  renditions: Type.Optional(
    Type.Array(
      Type.Object({
        name: Type.String(),
        width: Type.Integer(),
        height: Type.Integer(),
        bandwidth: Type.Integer({ description: 'Bits per second at most' }),
      }),
      { description: 'What can be played now, as far as it is known (videos only)' },
    ),
  ),
  error: Type.Optional(Type.String({ description: 'Why the processing failed (videos only)' })),
  thumbhash: Type.Optional(Type.String({ description: 'A blurred likeness in about 25 bytes, base 64' })),
  dominant_color: Type.Optional(Type.String({ description: 'The colour there is most of, as #rrggbb' })),
});

export const Done = Type.Object({
  object_id: Type.String(),
  object_url: Type.String(),
  status: Type.Literal('success'),
});

export function objectUrl(
  urls: PublicUrls,
  object: Pick<ObjectRow, 'backend' | 'bucket_id' | 'object_id'>,
): string {
  return `${urls[object.backend]}/${object.bucket_id}/${object.object_id}/`;
}

export function storedObject(
  urls: PublicUrls,
  object: Omit<ObjectRow, 'seq' | 'thumbhash' | 'dominant_color' | 'error' | 'caption_model'>,
): Static<typeof StoredObject> {
  const url = objectUrl(urls, object);
  const isImage = object.kind === 'image';
  return {
    object_url: url,
    original: `${url}original`,
    ...(isImage ? { optimised: `${url}original.webp` } : {}),
    object_id: object.object_id,
    tags: JSON.parse(object.tags) as string[],
    size: toKilobytes(object.size_bytes),
    type: object.type,
    folder: object.folder,
    original_file_name: object.original_file_name,
    ...(isImage ? { height: object.height, width: object.width } : { video_url: `${url}original.m3u8` }),
  };
}

export function objectDetails(urls: PublicUrls, object: ObjectRow): Static<typeof ObjectDetails> {
  return {
    ...storedObject(urls, object),
    created_at: new Date(object.created_at).toISOString(),
    status: object.status,
    ...(object.caption === null ? {} : { caption: object.caption }),
    ...(object.duration_ms === null ? {} : filmDetails(object)),
    ...(object.thumbhash ? { thumbhash: object.thumbhash } : {}),
    ...(object.dominant_color ? { dominant_color: object.dominant_color } : {}),
  };
}

function filmDetails({ width, height, duration_ms: durationMs, progress, error, film }: ObjectRow) {
  return {
    width,
    height,
    duration: (durationMs as number) / 1000,
    progress: progress ?? 0,
    renditions: playableRenditions(film),
    ...(error === null ? {} : { error }),
  };
}

export function done(
  urls: PublicUrls,
  object: Pick<ObjectRow, 'backend' | 'bucket_id' | 'object_id'>,
): Static<typeof Done> {
  return { object_id: object.object_id, object_url: objectUrl(urls, object), status: 'success' };
}
