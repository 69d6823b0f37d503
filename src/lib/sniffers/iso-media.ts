// Tells apart what shares the container of MP4: films, AVIF and HEIC pictures, sounds, raw camera pictures.
import type { Buffer } from 'node:buffer';
import type { SniffedType } from './sniffed-type.ts';

const heicBrands = new Set(['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'hevm', 'hevs']);
// Brands that leave the coding open: another brand beside them may say AVIF.
const heifBrands = new Set(['mif1', 'mif2', 'msf1', 'heif', 'miaf']);

const avif: SniffedType = { kind: 'image', type: 'image/avif', label: 'an AVIF picture' };
const heic: SniffedType = { kind: 'refused', type: 'image/heic', label: 'an HEIC picture' };
const mp4: SniffedType = { kind: 'video', type: 'video/mp4', label: 'an MP4 video' };
const quickTime: SniffedType = { kind: 'video', type: 'video/quicktime', label: 'a QuickTime video' };

const kindsByBrandStart: [string, SniffedType][] = [
  ['qt  ', quickTime],
  ['M4V', { kind: 'video', type: 'video/x-m4v', label: 'an M4V video' }],
  ['3g2', { kind: 'video', type: 'video/3gpp2', label: 'a 3GPP2 video' }],
  ['3gp', { kind: 'video', type: 'video/3gpp', label: 'a 3GPP video' }],
  ['M4A', { kind: 'refused', type: 'audio/mp4', label: 'an M4A sound' }],
  ['M4B', { kind: 'refused', type: 'audio/mp4', label: 'an M4B sound' }],
  ['M4P', { kind: 'refused', type: 'audio/mp4', label: 'an M4P sound' }],
  ['crx ', { kind: 'refused', type: 'image/x-canon-cr3', label: 'a raw camera picture' }],
  ['jxl ', { kind: 'refused', type: 'image/jxl', label: 'a JPEG XL picture' }],
  ['jp2 ', { kind: 'refused', type: 'image/jp2', label: 'a JPEG 2000 picture' }],
];

// Old QuickTime films have no brand and start with any of these.
const unbrandedStarts = new Set(['moov', 'mdat', 'wide', 'free', 'skip', 'pnot']);

export function sniffIsoMedia(head: Buffer): SniffedType | undefined {
  if (head.length < 8 || head.readUInt8(0) >= 0x20) return undefined; // text, or a box too large to be the first
  const box = head.toString('latin1', 4, 8);
  if (unbrandedStarts.has(box)) return quickTime;
  if (box !== 'ftyp' || head.length < 12) return undefined;
  const [major, ...compatible] = brands(head);
  if (heicBrands.has(major!)) return heic;
  if ([major, ...compatible].some((brand) => brand === 'avif' || brand === 'avis')) return avif;
  if (heifBrands.has(major!) || compatible.some((brand) => heicBrands.has(brand))) return heic;
  return kindsByBrandStart.find(([start]) => major!.startsWith(start))?.[1] ?? mp4;
}

function brands(head: Buffer): string[] {
  const end = Math.min(head.readUInt32BE(0), head.length);
  const found = [head.toString('latin1', 8, 12)];
  for (let at = 16; at + 4 <= end; at += 4) found.push(head.toString('latin1', at, at + 4));
  return found;
}
