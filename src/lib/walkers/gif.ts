// Walks the blocks of a GIF, counting frames. The size is the one libvips gives it, which is not always the one the
// header gives it.
import { corrupt } from './image-fault.ts';
import { factsOf, type ImageFacts, type Size } from './image-facts.ts';
import { checkFrames, checkSize, type ImageLimits } from './image-limits.ts';
import type { ByteReader, Walk } from './byte-reader.ts';

const EXTENSION = 0x21;
const IMAGE = 0x2c;
const TRAILER = 0x3b;
const GRAPHIC_CONTROL = 0xf9;
const MAX_LZW_CODE_SIZE = 11;
const SCREEN_OF_AN_EDITOR = new Set(['640x480', '640x512', '800x600', '1024x768', '1280x1024', '1600x1200']);
const MAX_TRUSTED_SIDE = 2048;

type Found = { canvas: Size; frames: number; alpha: boolean; nextIsTransparent: boolean };

export function* walkGif(reader: ByteReader, limits: ImageLimits): Walk<ImageFacts> {
  const header = yield* reader.take(13);
  if (!/^GIF8[79]a/.test(header.toString('latin1', 0, 6))) throw corrupt('it does not start like a GIF');
  const screen = { width: header.readUInt16LE(6), height: header.readUInt16LE(8) };
  const canvas = trustedCanvas(screen);
  // Browsers believe the header: it must be within the limit even where libvips ignores it.
  checkSize({ width: Math.max(screen.width, 1), height: Math.max(screen.height, 1) }, limits);
  yield* reader.skip(colourTableBytes(header.readUInt8(10)));
  const found: Found = { canvas, frames: 0, alpha: false, nextIsTransparent: false };
  for (;;) {
    const block = yield* reader.byte();
    if (block === TRAILER) break;
    if (block === IMAGE) yield* walkFrame(reader, found, limits);
    else if (block === EXTENSION) yield* walkExtension(reader, found);
    else throw corrupt('a block of an unknown kind follows');
  }
  if (found.frames === 0) throw corrupt('it holds no frame');
  return factsOf('image/gif', { stored: found.canvas, frames: found.frames, alpha: found.alpha });
}

/** Old editors wrote the size of their screen. libvips then starts from one pixel and lets the first frame decide. */
function trustedCanvas({ width, height }: Size): Size {
  const side = Math.max(width, height);
  const untrusted = width === 0 || height === 0 || side > MAX_TRUSTED_SIDE;
  return untrusted || SCREEN_OF_AN_EDITOR.has(`${width}x${height}`)
    ? { width: 1, height: 1 }
    : { width, height };
}

function colourTableBytes(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}

function* walkFrame(reader: ByteReader, found: Found, limits: ImageLimits): Walk<void> {
  const descriptor = yield* reader.take(9);
  const right = descriptor.readUInt16LE(0) + descriptor.readUInt16LE(4);
  const bottom = descriptor.readUInt16LE(2) + descriptor.readUInt16LE(6);
  const flags = descriptor.readUInt8(8);
  found.frames += 1;
  if (found.frames === 1) {
    const { width, height } = found.canvas;
    found.canvas = { width: Math.max(width, right), height: Math.max(height, bottom) };
  }
  checkSize({ width: Math.max(right, 1), height: Math.max(bottom, 1) }, limits);
  checkSize(found.canvas, limits);
  checkFrames(found.canvas, found.frames, limits);
  found.alpha ||= found.nextIsTransparent;
  found.nextIsTransparent = false;
  yield* reader.skip(colourTableBytes(flags));
  if ((yield* reader.byte()) > MAX_LZW_CODE_SIZE)
    throw corrupt('the data of a frame has an impossible code size');
  yield* skipSubBlocks(reader);
}

function* walkExtension(reader: ByteReader, found: Found): Walk<void> {
  const label = yield* reader.byte();
  if (label === GRAPHIC_CONTROL) {
    const length = yield* reader.byte();
    if (length === 0) return;
    const control = yield* reader.take(length);
    found.nextIsTransparent = (control.readUInt8(0) & 1) === 1;
  }
  yield* skipSubBlocks(reader);
}

function* skipSubBlocks(reader: ByteReader): Walk<void> {
  for (;;) {
    if (reader.available === 0) yield* reader.more();
    const length = reader.nextByte();
    if (length === 0) return;
    const left = length - reader.skipAvailable(length);
    if (left > 0) yield* reader.skip(left);
  }
}
