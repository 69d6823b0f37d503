// Who made a picture and who holds its rights, as EXIF data has it.
import type { Buffer } from 'node:buffer';
import { exifDirectory } from './exif-directory.ts';
import { EXIF_PREFIX } from './exif-orientation.ts';

const ASCII = 2;
const INLINE_BYTES = 4;
const tags = { Artist: 0x013b, Copyright: 0x8298 } as const;

export type ExifRights = { Artist?: string; Copyright?: string };

export function exifRights(exif: Buffer): ExifRights {
  const tiff =
    exif.toString('latin1', 0, EXIF_PREFIX.length) === EXIF_PREFIX ? exif.subarray(EXIF_PREFIX.length) : exif;
  const directory = exifDirectory(tiff);
  const rights: ExifRights = {};
  for (const [name, wanted] of Object.entries(tags) as [keyof typeof tags, number][]) {
    const entry = directory?.entries.find(({ tag, type }) => tag === wanted && type === ASCII);
    if (!directory || !entry) continue;
    const at = entry.count <= INLINE_BYTES ? entry.valueAt : directory.read(entry.valueAt, 4);
    const text = tiff
      .toString('utf8', at, at + entry.count)
      .replace(/\0+$/, '')
      .replaceAll('\0', '; ');
    if (text !== '') rights[name] = text;
  }
  return rights;
}
