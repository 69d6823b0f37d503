// Builds PNGs and GIFs byte by byte, so that tests can have ones no encoder would write.
import { constants, crc32, deflateRawSync } from 'node:zlib';

export const pngSignature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

export type PngOptions = { depth?: number; colourType?: number; interlaced?: boolean };

const channelsByColourType: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

export function pngChunk(type: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const chunk = Buffer.alloc(data.length + 12);
  chunk.writeUInt32BE(data.length, 0);
  named.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(named), chunk.length - 4);
  return chunk;
}

export function pngHeader(width: number, height: number, options: PngOptions = {}): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = options.depth ?? 1;
  header[9] = options.colourType ?? 0;
  header[12] = options.interlaced === true ? 1 : 0;
  return pngChunk('IHDR', header);
}

/** A picture of zeros that is valid to the last bit. 40000×40000 takes about 200 KB. */
export function pngBomb(width: number, height: number, options: PngOptions = {}): Buffer {
  const palette = options.colourType === 3 ? [pngChunk('PLTE', Buffer.alloc(6))] : [];
  const data = pngChunk('IDAT', zlibOfZeros(rawPngBytes(width, height, options)));
  return Buffer.concat([pngSignature, pngHeader(width, height, options), ...palette, data, pngChunk('IEND')]);
}

/** Complete in its structure, but with next to no data behind the size it names. */
export function pngHeaderOnly(width: number, height: number, options: PngOptions = {}): Buffer {
  const data = pngChunk('IDAT', zlibOfZeros(10));
  return Buffer.concat([pngSignature, pngHeader(width, height, options), data, pngChunk('IEND')]);
}

function rawPngBytes(width: number, height: number, options: PngOptions): number {
  const bitsPerPixel = (options.depth ?? 1) * channelsByColourType[options.colourType ?? 0]!;
  const plain = (columns: number, rows: number) =>
    columns === 0 ? 0 : rows * (1 + Math.ceil((columns * bitsPerPixel) / 8));
  if (options.interlaced !== true) return plain(width, height);
  // Start and step of the seven passes of Adam7.
  const passes = [
    [0, 8, 0, 8],
    [4, 8, 0, 8],
    [0, 4, 4, 8],
    [2, 4, 0, 4],
    [0, 2, 2, 4],
    [1, 2, 0, 2],
    [0, 1, 1, 2],
  ] as const;
  return passes.reduce((sum, [x, stepX, y, stepY]) => {
    const columns = Math.ceil(Math.max(0, width - x) / stepX);
    const rows = Math.ceil(Math.max(0, height - y) / stepY);
    return sum + plain(columns, rows);
  }, 0);
}

const PIECE_BYTES = 1024 * 1024;
const compressZeros = (bytes: number) =>
  deflateRawSync(Buffer.alloc(bytes), { level: 9, finishFlush: constants.Z_FULL_FLUSH });

/** One compressed piece repeated, so that gigabytes of zeros need neither time nor memory. */
function zlibOfZeros(bytes: number): Buffer {
  const pieces = Array<Buffer>(Math.floor(bytes / PIECE_BYTES)).fill(compressZeros(PIECE_BYTES));
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE((bytes % 65_521) * 65_536 + 1);
  return Buffer.concat([
    Buffer.from([0x78, 0xda]),
    ...pieces,
    compressZeros(bytes % PIECE_BYTES),
    Buffer.from([0x03, 0x00]),
    checksum,
  ]);
}

export type GifFrame = { x?: number; y?: number; width: number; height: number; transparent?: boolean };

export function gifOf(width: number, height: number, frames: GifFrame[]): Buffer {
  const screen = Buffer.alloc(13);
  screen.write('GIF89a', 'latin1');
  screen.writeUInt16LE(width, 6);
  screen.writeUInt16LE(height, 8);
  screen[10] = 0x80;
  const twoColours = Buffer.from([0, 0, 0, 255, 255, 255]);
  return Buffer.concat([screen, twoColours, ...frames.map(gifFrame), Buffer.from([0x3b])]);
}

/** The data is that of a single pixel, whatever size the frame names. */
function gifFrame({ x = 0, y = 0, width, height, transparent }: GifFrame): Buffer {
  const control = transparent === undefined ? [] : [0x21, 0xf9, 4, transparent ? 1 : 0, 0, 0, 0, 0];
  const place = [x, y, width, height].flatMap((value) => [value & 255, value >> 8]);
  return Buffer.from([...control, 0x2c, ...place, 0, 2, 2, 0x44, 0x01, 0]);
}

export function gifWithFrames(count: number, width = 1, height = 1): Buffer {
  return gifOf(width, height, Array<GifFrame>(count).fill({ width: 1, height: 1 }));
}
