// What the addresses of a film show besides pictures: its master playlist, the files of its streams, the MP4 and the
// storyboard. Where its streams are made elsewhere, the playlist's address leads there.
import { buffer } from 'node:stream/consumers';
import type { Stores } from '../objects/stores.ts';
import { AppError, retryAfter } from '../platform/errors.ts';
import { readFilmRecord } from '../videos/film-record.ts';
import type { Stream } from '../videos/provider.ts';
import { type StreamFile, streamFileKey, type StreamIndexes } from '../videos/stream-index.ts';
import { withPrefix } from '../videos/local/playlists.ts';
import type { ObjectFacts } from './object-facts.ts';
import type { Lifetime } from './representation.ts';

const playlist = 'original.m3u8';
/** Files in the folder of the stream that are shown beside the original. */
const extras = new Set(['original.mp4', 'storyboard.vtt', 'storyboard.jpg', 'storyboard.webp']);
const retrySeconds = 3;
const mediaTypes: Record<string, string> = {
  m3u8: 'application/vnd.apple.mpegurl',
  mp4: 'video/mp4',
  m4s: 'video/mp4',
  vtt: 'text/vtt; charset=utf-8',
  jpg: 'image/jpeg',
  webp: 'image/webp',
};

export type FilmFile =
  | { readonly kind: 'file'; readonly key: string; readonly file: StreamFile; readonly type: string }
  | { readonly kind: 'text'; readonly bytes: Buffer; readonly type: string }
  | { readonly kind: 'elsewhere'; readonly url: string };
export type FoundFilmFile = { readonly file: FilmFile; readonly lifetime: Lifetime | 'of the object' };

export type FilmFileParts = { stores: Stores; streams: StreamIndexes };

/** Null when the address is that of a picture. */
export async function findFilmFile(
  parts: FilmFileParts,
  facts: ObjectFacts,
  rendition: string,
): Promise<FoundFilmFile | null> {
  const [folder, revision = '', ...name] = rendition.split('/');
  if (folder === 'stream' && name.length > 0) {
    const file = await fileOf(parts, facts, revision, name.join('/'));
    return { file, lifetime: 'for ever' };
  }
  if (rendition === playlist) return findPlaylist(parts, facts);
  if (!extras.has(rendition)) return null;
  const stream = playable(facts);
  if (stream.kind === 'own' && !stream.extras && facts.status !== 'ready') throw stillProcessing();
  if (stream.kind === 'elsewhere' || !stream.extras)
    throw new AppError('not_found', 'This film has only its stream and its original');
  return { file: await fileOf(parts, facts, stream.revision, rendition), lifetime: 'of the object' };
}

async function findPlaylist(parts: FilmFileParts, facts: ObjectFacts): Promise<FoundFilmFile> {
  const stream = playable(facts);
  const lifetime = facts.status === 'ready' ? 'of the object' : 'moments';
  if (stream.kind === 'elsewhere') return { file: { kind: 'elsewhere', url: stream.url }, lifetime };
  const bytes = await parts.stores[facts.backend].get(streamFileKey(facts, stream.revision, 'master.m3u8'));
  if (!bytes) throw new AppError('object_not_found');
  const master = withPrefix((await buffer(bytes)).toString(), `stream/${stream.revision}/`);
  return { file: { kind: 'text', bytes: Buffer.from(master), type: typeOf(playlist) }, lifetime };
}

function playable(facts: ObjectFacts): Stream {
  if (facts.status === 'failed') throw new AppError('video_failed');
  const { stream } = readFilmRecord(facts.film);
  if (!stream) throw stillProcessing();
  return stream;
}

function stillProcessing(): AppError {
  return new AppError('video_processing', undefined, retryAfter(retrySeconds));
}

async function fileOf(
  { streams }: FilmFileParts,
  facts: ObjectFacts,
  revision: string,
  name: string,
): Promise<FilmFile> {
  const index = await streams.find(facts, revision);
  const file = index && Object.hasOwn(index, name) ? index[name] : undefined;
  if (!file) throw new AppError('not_found');
  return { kind: 'file', key: streamFileKey(facts, revision, name), file, type: typeOf(name) };
}

function typeOf(name: string): string {
  return mediaTypes[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
}
