// Finds the orientation in EXIF data the way libexif does, since that is what decides how libvips turns a picture.
import type { Buffer } from 'node:buffer';
import { exifDirectory, type ExifEntry, type ExifReader } from './exif-directory.ts';

/** libexif looks no further than this, so neither must a walker keep more. */
export const EXIF_BYTES = 0xfffe - 6;

export const EXIF_PREFIX = 'Exif\0\0';

const ORIENTATION_TAG = 0x0112;
const bytesPerValue = new Map([
  [1, 1], // BYTE
  [3, 2], // SHORT
  [4, 4], // LONG
  [6, 1], // SBYTE
  [8, 2], // SSHORT
  [9, 4], // SLONG
]);

/** 1–8; 1 as well when the data is damaged or says nothing. */
export function exifOrientation(tiff: Buffer): number {
  const directory = exifDirectory(tiff);
  const entry = directory?.entries.find(({ tag }) => tag === ORIENTATION_TAG);
  return directory && entry ? inlineValue(directory.read, entry) : 1;
}

function inlineValue(read: ExifReader, { type, count, valueAt }: ExifEntry): number {
  const bytes = bytesPerValue.get(type);
  if (bytes === undefined || count === 0 || bytes * count > 4) return 1;
  const value = read(valueAt, bytes);
  return value >= 1 && value <= 8 ? value : 1;
}
