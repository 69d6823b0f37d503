// Walks a WebP: one plain picture, or the extended form with canvas, metadata and frames. What libwebp's demuxer refuses
// is refused here; a file must be as long as its header says, padding included.
import { corrupt } from './image-fault.ts';
import { factsOf, type ImageFacts } from './image-facts.ts';
import { checkSize, type ImageLimits } from './image-limits.ts';
import { isBitstream, readBitstream } from './webp-bitstream.ts';
import { walkExtendedWebp } from './webp-extended.ts';
import type { ByteReader, Walk } from './byte-reader.ts';

const RIFF_HEADER_BYTES = 8;

export function* walkWebp(reader: ByteReader, limits: ImageLimits): Walk<ImageFacts> {
  const header = yield* reader.take(12);
  if (header.toString('latin1', 0, 4) !== 'RIFF' || header.toString('latin1', 8, 12) !== 'WEBP') {
    throw corrupt('it does not start like a WebP');
  }
  const end = RIFF_HEADER_BYTES + header.readUInt32LE(4);
  const chunk = yield* reader.take(8);
  const type = chunk.toString('latin1', 0, 4);
  const length = chunk.readUInt32LE(4);
  const next = reader.position + length + (length % 2);
  if (next > end) throw corrupt('its first chunk is longer than the file says it is');
  if (type === 'VP8X') return yield* walkExtendedWebp(reader, length, end, limits);
  if (!isBitstream(type)) throw corrupt('it does not start with a picture');
  const { size, alpha } = yield* readBitstream(reader, type, length);
  checkSize(size, limits);
  yield* reader.skipTo(end);
  return factsOf('image/webp', { stored: size, alpha });
}
