// Small pictures that are all different, and the multipart bodies that carry them.
import { createHash, randomBytes } from 'node:crypto';
import { picture } from '../support/pictures.ts';
import type { Random } from '../support/random.ts';

export const allTags = ['sea', 'sky', 'night', 'snow', 'people', 'Wärme', 'a b', 'draft'];
export const allFolders = ['trips', 'trips/2026', 'work'];

/** What one upload sends, and what its object must then be. The file name is different for every upload. */
export type Upload = {
  objectId: string | null;
  bytes: Buffer;
  sha256: string;
  tags: string[];
  folder: string | null;
  fileName: string;
};

export class UploadMaker {
  readonly #random: Random;
  readonly #pictures: readonly Buffer[];
  #made = 0;

  static async create(random: Random): Promise<UploadMaker> {
    const pictures = await Promise.all([
      picture(40, 30, 'jpeg'),
      picture(31, 47, 'png'),
      picture(64, 48, 'webp'),
      picture(220, 160, 'jpeg'),
    ]);
    return new UploadMaker(random, pictures);
  }

  private constructor(random: Random, pictures: readonly Buffer[]) {
    this.#random = random;
    this.#pictures = pictures;
  }

  make(objectId: string | null): Upload {
    const random = this.#random;
    // Bytes after the picture make it another file; sometimes enough of them that they are written in several calls.
    const more = random.chance(0.1) ? random.between(200_000, 600_000) : random.between(8, 400);
    const bytes = Buffer.concat([random.pick(this.#pictures), randomBytes(more)]);
    return {
      objectId,
      bytes,
      sha256: sha256(bytes),
      tags: random.some(allTags, 3),
      folder: random.chance(0.4) ? random.pick(allFolders) : null,
      fileName: `picture ${(this.#made += 1)}.bin`,
    };
  }
}

export function uploadBody({ objectId, bytes, tags, folder, fileName }: Upload): FormData {
  const form = new FormData();
  if (objectId !== null) form.append('object', objectId);
  if (tags.length > 0) form.append('tags', tags.join(','));
  if (folder !== null) form.append('folder', folder);
  form.append('file', new Blob([new Uint8Array(bytes)]), fileName);
  return form;
}

export function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
