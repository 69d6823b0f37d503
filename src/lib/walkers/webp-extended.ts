// Walks the extended form of WebP: a canvas, then one picture of that size or frames that lie within it.
import { EXIF_BYTES, EXIF_PREFIX, exifOrientation } from './exif-orientation.ts';
import { corrupt } from './image-fault.ts';
import { factsOf, type ImageFacts, type Size } from './image-facts.ts';
import { checkFrames, checkSides, checkSize, type ImageLimits } from './image-limits.ts';
import { walkRiffChunks, type RiffChunk } from './riff-chunks.ts';
import { isBitstream, readBitstream, type Bitstream } from './webp-bitstream.ts';
import type { ByteReader, Walk } from './byte-reader.ts';

const ANIMATED = 0x02;
const HAS_EXIF = 0x08;
const HAS_ALPHA = 0x10;
const RESERVED = 0xc1;
const CANVAS_BYTES = 10;
const FRAME_HEADER_BYTES = 16;
const MAX_SIDE = 16_383; // libvips's own bound

class ExtendedWebp {
  readonly #reader: ByteReader;
  readonly #limits: ImageLimits;
  readonly #canvas: Size;
  readonly #flags: number;
  #alpha: boolean;
  #pictures = 0;
  #animationStarted = false;
  #orientation: number | undefined;

  constructor(reader: ByteReader, limits: ImageLimits, canvas: Size, flags: number) {
    this.#reader = reader;
    this.#limits = limits;
    this.#canvas = canvas;
    this.#flags = flags;
    this.#alpha = (flags & HAS_ALPHA) !== 0;
  }

  *visit(chunk: RiffChunk): Walk<void> {
    const animated = (this.#flags & ANIMATED) !== 0;
    if (chunk.type === 'ANIM') this.#animationStarted = true;
    if (chunk.type === 'EXIF') yield* this.#readExif(chunk.length);
    if (isBitstream(chunk.type)) {
      if (animated) throw corrupt('it is animated, but has a picture outside its frames');
      yield* this.#readStill(chunk);
    }
    if (chunk.type === 'ANMF') {
      if (!animated || !this.#animationStarted) throw corrupt('it has frames without being animated');
      yield* this.#walkFrame(chunk.length);
    }
  }

  facts(): ImageFacts {
    if (this.#pictures === 0) throw corrupt('it holds no picture data');
    return factsOf('image/webp', {
      stored: this.#canvas,
      orientation: this.#orientation ?? 1,
      frames: this.#pictures,
      alpha: this.#alpha,
    });
  }

  /** The alpha flag of the canvas alone decides for a still picture: libwebp drops what it does not announce. */
  *#readStill({ type, length }: RiffChunk): Walk<void> {
    if (this.#pictures > 0) return;
    const { size } = yield* readBitstream(this.#reader, type, length);
    if (!sameSize(size, this.#canvas)) throw corrupt('its picture does not have the size of its canvas');
    this.#pictures = 1;
  }

  *#walkFrame(length: number): Walk<void> {
    const end = this.#reader.position + length;
    if (length < FRAME_HEADER_BYTES) throw corrupt('a frame is too short');
    this.#pictures += 1;
    checkFrames(this.#canvas, this.#pictures, this.#limits);
    const header = yield* this.#reader.take(FRAME_HEADER_BYTES);
    const size = { width: header.readUIntLE(6, 3) + 1, height: header.readUIntLE(9, 3) + 1 };
    const right = header.readUIntLE(0, 3) * 2 + size.width;
    const bottom = header.readUIntLE(3, 3) * 2 + size.height;
    if (right > this.#canvas.width || bottom > this.#canvas.height)
      throw corrupt('a frame exceeds the canvas');
    const picture = yield* this.#readFramePicture(end);
    if (!sameSize(picture.size, size)) throw corrupt('a frame does not have the size it names');
    // What a frame leaves uncovered is transparent.
    this.#alpha ||= picture.alpha || !sameSize(size, this.#canvas);
  }

  *#readFramePicture(end: number): Walk<Bitstream> {
    const reader = this.#reader;
    let picture: Bitstream | undefined;
    let alphaPlane = false;
    yield* walkRiffChunks(reader, end, function* ({ type, length }) {
      if (picture !== undefined) return;
      if (type === 'ALPH') alphaPlane = true;
      if (isBitstream(type)) picture = yield* readBitstream(reader, type, length);
    });
    if (picture === undefined) throw corrupt('a frame holds no picture data');
    return { size: picture.size, alpha: picture.alpha || alphaPlane };
  }

  *#readExif(length: number): Walk<void> {
    if ((this.#flags & HAS_EXIF) === 0 || this.#orientation !== undefined) return;
    const exif = yield* this.#reader.take(Math.min(length, EXIF_BYTES + EXIF_PREFIX.length));
    const hasPrefix = exif.toString('latin1', 0, EXIF_PREFIX.length) === EXIF_PREFIX;
    this.#orientation = exifOrientation(hasPrefix ? exif.subarray(EXIF_PREFIX.length) : exif);
  }
}

function sameSize(one: Size, other: Size): boolean {
  return one.width === other.width && one.height === other.height;
}

export function* walkExtendedWebp(
  reader: ByteReader,
  length: number,
  end: number,
  limits: ImageLimits,
): Walk<ImageFacts> {
  if (length < CANVAS_BYTES) throw corrupt('its canvas is missing');
  const firstChunk = reader.position + length + (length % 2);
  const header = yield* reader.take(CANVAS_BYTES);
  const canvas = { width: header.readUIntLE(4, 3) + 1, height: header.readUIntLE(7, 3) + 1 };
  const webp = new ExtendedWebp(reader, limits, canvas, header.readUInt8(0));
  if (header.readUInt8(0) & RESERVED) throw corrupt('its canvas has flags that do not exist');
  checkSize(canvas, limits);
  checkSides(canvas, MAX_SIDE);
  yield* reader.skipTo(firstChunk);
  yield* walkRiffChunks(reader, end, (chunk) => webp.visit(chunk));
  return webp.facts();
}
