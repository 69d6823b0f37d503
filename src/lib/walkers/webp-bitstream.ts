// Reads the size and the alpha flag from the first bytes of the two codings a WebP picture can have.
import type { Buffer } from 'node:buffer';
import { corrupt } from './image-fault.ts';
import type { ByteReader, Walk } from './byte-reader.ts';
import type { Size } from './image-facts.ts';

export type Bitstream = { size: Size; alpha: boolean };

const LOSSY_HEADER_BYTES = 10;
const LOSSLESS_HEADER_BYTES = 5;

export function isBitstream(chunkType: string): boolean {
  return chunkType === 'VP8 ' || chunkType === 'VP8L';
}

export function* readBitstream(reader: ByteReader, chunkType: string, length: number): Walk<Bitstream> {
  const bytes = chunkType === 'VP8 ' ? LOSSY_HEADER_BYTES : LOSSLESS_HEADER_BYTES;
  if (length < bytes) throw corrupt('its picture data is too short');
  const header = yield* reader.take(bytes);
  return chunkType === 'VP8 ' ? readLossy(header, length) : readLossless(header);
}

function readLossy(header: Buffer, length: number): Bitstream {
  const tag = header.readUIntLE(0, 3);
  const isShownKeyFrame = (tag & 0x11) === 0x10;
  const profile = (tag >> 1) & 7;
  const firstPartBytes = tag >> 5;
  if (!isShownKeyFrame || profile > 3 || header.readUIntBE(3, 3) !== 0x9d012a) {
    throw corrupt('its picture data has no start');
  }
  if (firstPartBytes >= length) throw corrupt('its picture data is shorter than it says');
  const size = { width: header.readUInt16LE(6) & 0x3fff, height: header.readUInt16LE(8) & 0x3fff };
  return { size, alpha: false };
}

function readLossless(header: Buffer): Bitstream {
  const bits = header.readUInt32LE(1);
  const version = bits >>> 29;
  if (header.readUInt8(0) !== 0x2f || version !== 0) throw corrupt('its picture data has no start');
  const size = { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  return { size, alpha: ((bits >>> 28) & 1) === 1 };
}
