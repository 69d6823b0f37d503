// Where the bytes of an object lie. A generation is made anew for every upload, so a key is never used twice; it begins
// with the time, so uploads of the same 2^20 ms (17.5 minutes) share a folder and one fsync makes many of them durable.

import { randomHex } from '../platform/random.ts';
import { isKeySegment } from '../platform/storage/storage-key.ts';

const generationPattern = /^[0-9a-f]{24}$/;
const manifestSuffix = '.json';
const filmSuffix = '.film';
const bucketManifestName = 'bucket.json';

export type ObjectKey =
  | { kind: 'original' | 'manifest' | 'film'; bucketId: string; generation: string }
  | { kind: 'bucket-manifest'; bucketId: string };

/** 24 hex digits: 12 of the time in milliseconds, then 12 of chance. */
export function newGeneration(now = Date.now()): string {
  return now.toString(16).padStart(12, '0') + randomHex(6);
}

export function generationTime(generation: string): number {
  return Number.parseInt(generation.slice(0, 12), 16);
}

export function originalKey(bucketId: string, generation: string): string {
  return `${bucketId}/${generation.slice(0, 5)}/${generation.slice(5, 7)}/${generation}`;
}

export function manifestKey(bucketId: string, generation: string): string {
  return originalKey(bucketId, generation) + manifestSuffix;
}

/** The poster of a film, or a file of one of its streams. */
export function filmKey(bucketId: string, generation: string, name: string): string {
  return `${filmFolderKey(bucketId, generation)}${name}`;
}

/** What all keys of a film's own files begin with. */
export function filmFolderKey(bucketId: string, generation: string): string {
  return `${originalKey(bucketId, generation)}${filmSuffix}/`;
}

export const posterName = 'poster.jpg';

export function bucketManifestKey(bucketId: string): string {
  return `${bucketId}/${bucketManifestName}`;
}

/** Whether a key always shows the same bytes: those of an original, or of a film's own files but for their indexes. */
export function isImmutableKey(key: string): boolean {
  const parsed = parseObjectKey(key);
  return parsed?.kind === 'original' || (parsed?.kind === 'film' && !key.endsWith(manifestSuffix));
}

/** Null for every key the functions above do not make. */
export function parseObjectKey(key: string): ObjectKey | null {
  const [bucketId = '', ...rest] = key.split('/');
  if (!isKeySegment(bucketId)) return null;
  if (key === bucketManifestKey(bucketId)) return { kind: 'bucket-manifest', bucketId };
  const film = rest[2]?.endsWith(filmSuffix) ? rest[2].slice(0, -filmSuffix.length) : '';
  if (generationPattern.test(film) && key.startsWith(filmFolderKey(bucketId, film)))
    return { kind: 'film', bucketId, generation: film };
  const name = rest.at(-1) ?? '';
  const isManifest = name.endsWith(manifestSuffix);
  const generation = isManifest ? name.slice(0, -manifestSuffix.length) : name;
  if (!generationPattern.test(generation)) return null;
  const kind = isManifest ? 'manifest' : 'original';
  const expected = isManifest ? manifestKey(bucketId, generation) : originalKey(bucketId, generation);
  return key === expected ? { kind, bucketId, generation } : null;
}
