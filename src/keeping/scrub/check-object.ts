// Checks all stored files of one object: its original against size and hash of its record, its manifest, and of a film what
// was made of it.
import { originalKey } from '../../objects/object-keys.ts';
import type { ObjectRow } from '../../objects/tables.ts';
import { hashStored } from '../files/hash-file.ts';
import { putBackFromCopy } from './check-copies.ts';
import { checkFilm } from './check-film.ts';
import { checkManifest } from './check-manifest.ts';
import { reportOf, type ScrubParts } from './scrub-parts.ts';

export async function checkObject(parts: ScrubParts, object: ObjectRow): Promise<void> {
  const isSound = await checkOriginal(parts, object);
  await checkManifest(parts, object);
  if (object.kind === 'video') await checkFilm(parts, object, isSound);
}

async function checkOriginal(parts: ScrubParts, object: ObjectRow): Promise<boolean> {
  const { bucket_id: bucketId, generation, backend, size_bytes: sizeBytes, sha256 } = object;
  const key = originalKey(bucketId, generation);
  const found = await hashStored(parts.stores[backend], key, parts.pace);
  parts.onFile();
  if (found?.sha256 === sha256 && found.sizeBytes === sizeBytes) return true;
  const kind = 'original' as const;
  const putBack = () => putBackFromCopy(parts, object, key);
  if (!found) await reportOf(parts, object, { kind, problem: 'missing', key, detail: 'is gone' }, putBack);
  else {
    const detail =
      found.sizeBytes === sizeBytes
        ? 'has other bytes than were uploaded'
        : `has ${found.sizeBytes} bytes instead of ${sizeBytes}`;
    await reportOf(parts, object, { kind, problem: 'damaged', key, detail }, putBack);
  }
  return false;
}
