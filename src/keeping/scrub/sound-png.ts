// Whether a PNG is as it was written: each of its parts carries a checksum.
import { crc32 } from 'node:zlib';

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Length, name and checksum of a part. */
const frameBytes = 12;

export function isSoundPng(png: Buffer): boolean {
  if (!png.subarray(0, signature.length).equals(signature)) return false;
  for (let at = signature.length; at + frameBytes <= png.length;) {
    const end = at + frameBytes + png.readUInt32BE(at);
    if (end > png.length) return false;
    const named = png.subarray(at + 4, end - 4);
    if (crc32(named) !== png.readUInt32BE(end - 4)) return false;
    if (named.toString('latin1', 0, 4) === 'IEND') return end === png.length;
    at = end;
  }
  return false;
}
