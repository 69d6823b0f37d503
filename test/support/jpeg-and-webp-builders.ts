// Builds JPEGs, EXIF data and WebPs byte by byte, so that tests can have ones no encoder would write.

export type ExifOptions = { bigEndian?: boolean; type?: number; count?: number; directoryAt?: number };

/** EXIF with an orientation and nothing else, without the prefix that JPEG puts before it. */
export function exifWith(orientation: number, options: ExifOptions = {}): Buffer {
  const { bigEndian = false, type = 3, count = 1, directoryAt = 8 } = options;
  const exif = Buffer.alloc(directoryAt + 18);
  const write = (value: number, at: number, bytes: number) =>
    bigEndian ? exif.writeUIntBE(value, at, bytes) : exif.writeUIntLE(value, at, bytes);
  exif.write(bigEndian ? 'MM' : 'II', 'latin1');
  write(42, 2, 2);
  write(directoryAt, 4, 4);
  write(1, directoryAt, 2);
  write(0x0112, directoryAt + 2, 2);
  write(type, directoryAt + 4, 2);
  write(count, directoryAt + 6, 4);
  write(orientation, directoryAt + 10, type === 4 ? 4 : 2);
  return exif;
}

export function jpegSegment(marker: number, data: Buffer | number[]): Buffer {
  const content = Buffer.from(data);
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([head, content]);
}

export function exifSegment(exif: Buffer): Buffer {
  return jpegSegment(0xe1, Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), exif]));
}

/** Puts segments right behind the start of a JPEG. */
export function withSegments(jpeg: Buffer, ...segments: Buffer[]): Buffer {
  return Buffer.concat([jpeg.subarray(0, 2), ...segments, jpeg.subarray(2)]);
}

export type JpegOptions = { width?: number; height?: number; frame?: number; precision?: number };

/** A grey progressive JPEG whose scans all say "nothing changes"; at 8×8 it is valid to the last bit. */
export function jpegWithScans(scans: number, options: JpegOptions = {}): Buffer {
  const { width = 8, height = 8, frame = 0xc2, precision = 8 } = options;
  const oneShortCode = [1, ...Array<number>(15).fill(0), 0];
  const empty = Buffer.from([0x7f]);
  const nextScan = Buffer.concat([jpegSegment(0xda, [1, 1, 0, 1, 63, 0]), empty]);
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    jpegSegment(0xdb, [0, ...Array<number>(64).fill(1)]),
    jpegSegment(frame, [precision, height >> 8, height & 255, width >> 8, width & 255, 1, 1, 0x11, 0]),
    jpegSegment(0xc4, [0x00, ...oneShortCode]),
    jpegSegment(0xc4, [0x10, ...oneShortCode]),
    jpegSegment(0xda, [1, 1, 0, 0, 0, 0]),
    empty,
    ...Array<Buffer>(scans - 1).fill(nextScan),
    Buffer.from([0xff, 0xd9]),
  ]);
}

export function riffChunk(type: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(type, 'latin1');
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
}

export function webpOf(...chunks: Buffer[]): Buffer {
  return riffChunk('RIFF', Buffer.concat([Buffer.from('WEBP'), ...chunks]));
}

export const webpFlags = { animated: 0x02, exif: 0x08, alpha: 0x10 };

export function webpCanvas(width: number, height: number, flags = 0): Buffer {
  const canvas = Buffer.alloc(10);
  canvas[0] = flags;
  canvas.writeUIntLE(width - 1, 4, 3);
  canvas.writeUIntLE(height - 1, 7, 3);
  return riffChunk('VP8X', canvas);
}

/** The lossless coding of a transparent pixel; larger sizes are lies. */
export function webpPixel(width = 1, height = 1): Buffer {
  const data = Buffer.from('2f0000001007101111888808fe0700', 'hex').subarray(0, 13);
  data.writeUInt32LE((width - 1) | ((height - 1) << 14) | (1 << 28), 1);
  return riffChunk('VP8L', data);
}

export const webpAnimation = riffChunk('ANIM', Buffer.alloc(6));

export function webpFrame(width: number, height: number, picture: Buffer, x = 0, y = 0): Buffer {
  const head = Buffer.alloc(16);
  head.writeUIntLE(x / 2, 0, 3);
  head.writeUIntLE(y / 2, 3, 3);
  head.writeUIntLE(width - 1, 6, 3);
  head.writeUIntLE(height - 1, 9, 3);
  return riffChunk('ANMF', Buffer.concat([head, picture]));
}
