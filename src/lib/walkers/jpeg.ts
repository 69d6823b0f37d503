// Walks the markers of a JPEG the way libjpeg does: anything between segments is skipped up to the next marker, so that
// entropy-coded data and padding need no code of their own.
import { EXIF_BYTES, EXIF_PREFIX, exifOrientation } from './exif-orientation.ts';
import { corrupt, unsupported } from './image-fault.ts';
import { factsOf, type ImageFacts, type Size } from './image-facts.ts';
import { checkSides, checkSize, type ImageLimits } from './image-limits.ts';
import type { ByteReader, Walk } from './byte-reader.ts';

const SOI = 0xd8;
const EOI = 0xd9;
const SOS = 0xda;
const APP1 = 0xe1;
const DECODABLE_FRAMES = new Set([0xc0, 0xc1, 0xc2, 0xc3, 0xc9, 0xca]);
const OTHER_FRAMES = new Set([0xc5, 0xc6, 0xc7, 0xcb, 0xcd, 0xce, 0xcf]);
const MAX_SIDE = 65_500; // libjpeg's own bound

// Every scan of a progressive picture goes over all its pixels, and libvips sets no bound. Encoders write about ten.
const MAX_SCANS = 100;

type Found = { size?: Size; orientation: number | undefined; scans: number };

export function* walkJpeg(reader: ByteReader, limits: ImageLimits): Walk<ImageFacts> {
  const start = yield* reader.take(2);
  if (start[0] !== 0xff || start[1] !== SOI) throw corrupt('it does not start like a JPEG');
  const found: Found = { orientation: undefined, scans: 0 };
  for (;;) {
    const marker = yield* nextMarker(reader);
    if (marker === EOI) return factsAtEnd(found);
    if (!hasSegment(marker)) throw corrupt(`the marker 0x${marker.toString(16)} is out of place`);
    const length = (yield* reader.take(2)).readUInt16BE(0) - 2;
    if (length < 0) throw corrupt('a segment is shorter than its own length');
    yield* walkSegment(reader, marker, length, found, limits);
  }
}

/** Passes over stuffed bytes (FF 00), fill bytes (FF FF), restart markers and TEM. */
function* nextMarker(reader: ByteReader): Walk<number> {
  for (;;) {
    while (!reader.skipPast(0xff, standsAlone)) yield* reader.more();
    let code = 0xff;
    while (code === 0xff) {
      if (reader.available === 0) yield* reader.more();
      code = reader.nextByte();
    }
    if (!standsAlone(code)) return code;
  }
}

function standsAlone(code: number): boolean {
  return code <= 0x01 || (code >= 0xd0 && code <= 0xd7);
}

function hasSegment(marker: number): boolean {
  return (marker >= 0xc0 && marker !== 0xc8 && marker !== SOI && marker < 0xf0) || marker === 0xfe;
}

function* walkSegment(
  reader: ByteReader,
  marker: number,
  length: number,
  found: Found,
  limits: ImageLimits,
): Walk<void> {
  const end = reader.position + length;
  if (OTHER_FRAMES.has(marker)) throw unsupported('The picture is a kind of JPEG that cannot be decoded');
  if (DECODABLE_FRAMES.has(marker)) {
    if (found.size !== undefined) throw corrupt('it has more than one frame header');
    found.size = yield* readFrame(reader, length);
    checkSize(found.size, limits);
    checkSides(found.size, MAX_SIDE);
  } else if (marker === SOS) {
    startScan(found);
  } else if (marker === APP1 && found.orientation === undefined && found.scans === 0) {
    found.orientation = yield* readApp1(reader, length);
  }
  yield* reader.skipTo(end);
}

function* readFrame(reader: ByteReader, length: number): Walk<Size> {
  if (length < 6) throw corrupt('its frame header is too short');
  const header = yield* reader.take(6);
  const components = header.readUInt8(5);
  if (components === 0 || length !== 6 + 3 * components)
    throw corrupt('its frame header has the wrong length');
  if (header.readUInt8(0) !== 8) throw unsupported('Only JPEGs with 8 bits per colour can be decoded');
  const size = { width: header.readUInt16BE(3), height: header.readUInt16BE(1) };
  if (size.height === 0) throw unsupported('JPEGs that give their height only at the end cannot be decoded');
  return size;
}

function startScan(found: Found): void {
  if (found.size === undefined) throw corrupt('its data starts before its frame header');
  found.scans += 1;
  if (found.scans > MAX_SCANS) throw unsupported(`The picture has more than ${MAX_SCANS} scans`);
}

/** Undefined for other uses of the segment, such as XMP. The first EXIF segment decides, even a damaged one. */
function* readApp1(reader: ByteReader, length: number): Walk<number | undefined> {
  if (length < EXIF_PREFIX.length) return undefined;
  const prefix = yield* reader.take(EXIF_PREFIX.length);
  if (prefix.toString('latin1') !== EXIF_PREFIX) return undefined;
  return exifOrientation(yield* reader.take(Math.min(length - EXIF_PREFIX.length, EXIF_BYTES)));
}

function factsAtEnd({ size, scans, orientation = 1 }: Found): ImageFacts {
  if (size === undefined || scans === 0) throw corrupt('it holds no picture data');
  return factsOf('image/jpeg', { stored: size, orientation, alpha: false });
}
