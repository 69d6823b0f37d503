// What receivers are told of an object: the same fields for pictures and films, null where there is nothing to tell.
import { type PublicUrls, storedObject } from './object-json.ts';

type Row = Parameters<typeof storedObject>[1];

export type ObjectEventData = {
  object_id: string;
  object_url: string;
  original: string;
  video_url: string | null;
  status: string;
  /** Seconds. */
  duration: number | null;
  width: number | null;
  height: number | null;
  renditions: readonly object[] | null;
  tags: string[];
  folder: string | null;
  error: string | null;
};

/** What is known of a film besides its row. */
export type FilmEventData = Partial<Pick<ObjectEventData, 'duration' | 'renditions' | 'error'>>;

export function objectEventData(urls: PublicUrls, row: Row, film: FilmEventData = {}): ObjectEventData {
  const { object_id, object_url, original, video_url = null, tags, folder } = storedObject(urls, row);
  return {
    object_id,
    object_url,
    original,
    video_url,
    status: row.status,
    duration: film.duration ?? null,
    // Zero: not known yet.
    width: row.width || null,
    height: row.height || null,
    renditions: film.renditions ?? null,
    tags,
    folder,
    error: film.error ?? null,
  };
}
