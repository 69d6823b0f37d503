// Finds the orientation in EXIF data the way libexif does, since that is what decides how libvips turns a picture.
import type { Buffer } from 'node:buffer';

/** libexif looks no further than this, so neither must a walker keep more. */
export const EXIF_BYTES = 0xfffe - 6;

export const EXIF_PREFIX = 'Exif\0\0';

const ORIENTATION_TAG = 0x0112;
const ENTRY_BYTES = 12;
const bytesPerValue = new Map([
  [1, 1], // BYTE
  [3, 2], // SHORT
  [4, 4], // LONG
  [6, 1], // SBYTE
  [8, 2], // SSHORT
  [9, 4], // SLONG
]);

/** 1–8; 1 as well when the data is damaged or says nothing: a picture is not refused for its metadata. */
export function exifOrientation(tiff: Buffer): number {
  if (tiff.length < 8) return 1;
  const order = tiff.toString('latin1', 0, 2);
  if (order !== 'II' && order !== 'MM') return 1;
  const read = (at: number, bytes: number) =>
    order === 'II' ? tiff.readUIntLE(at, bytes) : tiff.readUIntBE(at, bytes);
  if (read(2, 2) !== 42) return 1;
  const directory = read(4, 4);
  if (directory + 2 > tiff.length) return 1;
  const fitting = Math.floor((tiff.length - directory - 2) / ENTRY_BYTES);
  const entries = Math.min(read(directory, 2), fitting);
  for (let index = 0; index < entries; index += 1) {
    const entry = directory + 2 + index * ENTRY_BYTES;
    if (read(entry, 2) === ORIENTATION_TAG) return inlineValue(read, entry);
  }
  return 1;
}

function inlineValue(read: (at: number, bytes: number) => number, entry: number): number {
  const bytes = bytesPerValue.get(read(entry + 2, 2));
  const count = read(entry + 4, 4);
  if (bytes === undefined || count === 0 || bytes * count > 4) return 1;
  const value = read(entry + 8, bytes);
  return value >= 1 && value <= 8 ? value : 1;
}
