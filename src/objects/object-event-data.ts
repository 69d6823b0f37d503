// What receivers are told of an object: the same fields for pictures and films, null where there is nothing to tell.
import { playableRenditions, type Rendition } from './film-renditions.ts';
import { type PublicUrls, storedObject } from './object-json.ts';
import type { ObjectRow } from './tables.ts';

type Row = Omit<ObjectRow, 'seq' | 'thumbhash' | 'dominant_color' | 'caption_model'>;

export type ObjectEventData = {
  object_id: string;
  object_url: string;
  original: string;
  video_url: string | null;
  status: string;
  /** Seconds. */
  duration: number | null;
  width: number;
  height: number;
  renditions: readonly Rendition[] | null;
  tags: string[];
  folder: string | null;
  error: string | null;
};

export function objectEventData(urls: PublicUrls, row: Row): ObjectEventData {
  const { object_id, object_url, original, video_url = null, tags, folder } = storedObject(urls, row);
  const isFilm = row.duration_ms !== null;
  return {
    object_id,
    object_url,
    original,
    video_url,
    status: row.status,
    duration: isFilm ? (row.duration_ms as number) / 1000 : null,
    width: row.width,
    height: row.height,
    renditions: isFilm ? playableRenditions(row.film) : null,
    tags,
    folder,
    error: row.error,
  };
}
