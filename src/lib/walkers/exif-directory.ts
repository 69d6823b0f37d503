// The first directory of EXIF data, entry by entry. Damaged data has no entries: a picture is not refused for its metadata.
import type { Buffer } from 'node:buffer';

const ENTRY_BYTES = 12;

export type ExifReader = (at: number, bytes: number) => number;
export type ExifEntry = { tag: number; type: number; count: number; valueAt: number };

export function exifDirectory(tiff: Buffer): { read: ExifReader; entries: ExifEntry[] } | null {
  if (tiff.length < 8) return null;
  const order = tiff.toString('latin1', 0, 2);
  if (order !== 'II' && order !== 'MM') return null;
  const read: ExifReader = (at, bytes) =>
    order === 'II' ? tiff.readUIntLE(at, bytes) : tiff.readUIntBE(at, bytes);
  if (read(2, 2) !== 42) return null;
  const directory = read(4, 4);
  if (directory + 2 > tiff.length) return null;
  const fitting = Math.floor((tiff.length - directory - 2) / ENTRY_BYTES);
  const count = Math.min(read(directory, 2), fitting);
  const entries = Array.from({ length: count }, (_, index) => {
    const at = directory + 2 + index * ENTRY_BYTES;
    return { tag: read(at, 2), type: read(at + 2, 2), count: read(at + 4, 4), valueAt: at + 8 };
  });
  return { read, entries };
}
