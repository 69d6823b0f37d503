// Walks the chunks of a PNG. An animated PNG counts as one frame: libvips decodes its first picture and no other.
import { crc32 } from 'node:zlib';
import { EXIF_BYTES, exifOrientation } from './exif-orientation.ts';
import { corrupt } from './image-fault.ts';
import { factsOf, type ImageFacts, type Size } from './image-facts.ts';
import { checkSize, type ImageLimits } from './image-limits.ts';
import type { Buffer } from 'node:buffer';
import type { ByteReader, Walk } from './byte-reader.ts';

const SIGNATURE = '\x89PNG\r\n\x1a\n';
const LONGEST_CHUNK = 2 ** 31 - 1;
const CRC_BYTES = 4;
const PALETTE = 3;
const depthsByColourType = new Map([
  [0, [1, 2, 4, 8, 16]],
  [2, [8, 16]],
  [PALETTE, [1, 2, 4, 8]],
  [4, [8, 16]],
  [6, [8, 16]],
]);

type Header = { size: Size; colourType: number };
type Found = { orientation?: number; palette: boolean; transparency: boolean; dataBytes: number };

export function* walkPng(reader: ByteReader, limits: ImageLimits): Walk<ImageFacts> {
  const signature = yield* reader.take(SIGNATURE.length);
  if (signature.toString('latin1') !== SIGNATURE) throw corrupt('it does not start like a PNG');
  const header = readHeader(yield* reader.take(8 + 13 + CRC_BYTES));
  checkSize(header.size, limits);
  const found: Found = { palette: false, transparency: false, dataBytes: 0 };
  for (;;) {
    const chunk = yield* reader.take(8);
    const length = chunk.readUInt32BE(0);
    const type = chunk.toString('latin1', 4, 8);
    if (length > LONGEST_CHUNK) throw corrupt('a chunk is longer than a PNG can hold');
    yield* walkChunk(reader, type, length, header, found);
    if (type === 'IEND') return factsAtEnd(header, found);
  }
}

function readHeader(chunk: Buffer): Header {
  if (chunk.readUInt32BE(0) !== 13 || chunk.toString('latin1', 4, 8) !== 'IHDR') {
    throw corrupt('it does not start with its header');
  }
  if (crc32(chunk.subarray(4, 21)) !== chunk.readUInt32BE(21))
    throw corrupt('the checksum of its header is wrong');
  const [depth, colourType, compression, filter, interlace] = [16, 17, 18, 19, 20].map((at) => chunk[at]!);
  const depths = depthsByColourType.get(colourType!);
  if (!depths?.includes(depth!) || compression !== 0 || filter !== 0 || interlace! > 1) {
    throw corrupt('its header names a colour type, depth or method that does not exist');
  }
  return { size: { width: chunk.readUInt32BE(8), height: chunk.readUInt32BE(12) }, colourType: colourType! };
}

function* walkChunk(
  reader: ByteReader,
  type: string,
  length: number,
  header: Header,
  found: Found,
): Walk<void> {
  const end = reader.position + length + CRC_BYTES;
  const beforeData = found.dataBytes === 0;
  if (type === 'IDAT') {
    if (header.colourType === PALETTE && !found.palette) throw corrupt('its palette is missing');
    found.dataBytes += length;
  } else if (type === 'PLTE') {
    found.palette = true;
  } else if (type === 'tRNS' && beforeData) {
    found.transparency ||= length > 0;
  } else if (type === 'eXIf' && beforeData && found.orientation === undefined) {
    // libvips reads no metadata behind the picture data, and only the first of several.
    found.orientation = exifOrientation(yield* reader.take(Math.min(length, EXIF_BYTES)));
  } else if (type !== 'IEND' && !isAncillary(type)) {
    throw corrupt('a chunk of an unknown kind must be understood to decode it');
  }
  yield* reader.skipTo(end);
}

/** PNG marks by a lower-case first letter what a decoder may ignore. */
function isAncillary(type: string): boolean {
  return /^[a-z][A-Za-z]{3}$/.test(type);
}

function factsAtEnd(header: Header, found: Found): ImageFacts {
  if (found.dataBytes === 0) throw corrupt('it holds no picture data');
  const alpha = header.colourType === 4 || header.colourType === 6 || found.transparency;
  return factsOf('image/png', { stored: header.size, orientation: found.orientation ?? 1, alpha });
}
