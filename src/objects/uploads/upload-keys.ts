// Where the parts of a resumable upload lie until it is complete: in a folder of its own, under names made anew for each
// part, so that two requests that send the same bytes never write to the same key.
import { randomHex } from '../../platform/random.ts';

const partsKey = /^([a-z0-9_-][a-z0-9._-]*)\/uploads\/([0-9a-f]{32})\/part-[0-9a-f]{24}$/;

export type UploadPlace = { bucketId: string; uploadId: string };

/** 128 bits of chance: nobody finds another's by trying. */
export function newUploadId(): string {
  return randomHex(16);
}

/** Whether a text could name an upload at all; what could not need not be looked for. */
export function isUploadId(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text);
}

export function newPartName(): string {
  return `part-${randomHex(12)}`;
}

export function uploadFolderKey({ bucketId, uploadId }: UploadPlace): string {
  return `${bucketId}/uploads/${uploadId}/`;
}

export function partKey(place: UploadPlace, name: string): string {
  return uploadFolderKey(place) + name;
}

/** Which upload the bytes under a key belong to; null for every other key. */
export function parsePartKey(key: string): UploadPlace | null {
  const [, bucketId, uploadId] = partsKey.exec(key) ?? [];
  return bucketId !== undefined && uploadId !== undefined ? { bucketId, uploadId } : null;
}
