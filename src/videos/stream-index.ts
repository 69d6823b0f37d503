// The files of one stream with their sizes and hashes, written beside them when the stream is published: so a segment is
// served with a strong ETag and without a look at the file before.
import { text } from 'node:stream/consumers';
import { Lru } from '../lib/lru.ts';
import { filmKey } from '../objects/object-keys.ts';
import type { Stores } from '../objects/stores.ts';
import type { ObjectRow } from '../objects/tables.ts';

export type StreamFile = { readonly sizeBytes: number; readonly sha256: string };
export type StreamIndex = Readonly<Record<string, StreamFile>>;
export type FilmPlace = Pick<ObjectRow, 'backend' | 'bucket_id' | 'generation'>;

export const streamIndexName = 'files.json';
const maxKeptBytes = 16 * 1024 * 1024;

export function streamFileKey(
  { bucket_id: bucketId, generation }: FilmPlace,
  revision: string,
  name: string,
): string {
  return filmKey(bucketId, generation, `${revision}/${name}`);
}

export async function writeStreamIndex(
  stores: Stores,
  film: FilmPlace,
  revision: string,
  index: StreamIndex,
): Promise<void> {
  const bytes = Buffer.from(JSON.stringify(index));
  await stores[film.backend].put(streamFileKey(film, revision, streamIndexName), bytes);
}

export class StreamIndexes {
  readonly #stores: Stores;
  readonly #kept = new Lru<string, StreamIndex>(maxKeptBytes);

  constructor(stores: Stores) {
    this.#stores = stores;
  }

  /** Null when there is no such stream. */
  async find(film: FilmPlace, revision: string): Promise<StreamIndex | null> {
    const key = streamFileKey(film, revision, streamIndexName);
    const kept = this.#kept.get(key);
    if (kept) return kept;
    const stream = await this.#stores[film.backend].get(key);
    if (!stream) return null;
    const json = await text(stream);
    const index = JSON.parse(json) as StreamIndex;
    this.#kept.set(key, index, json.length * 2);
    return index;
  }
}
