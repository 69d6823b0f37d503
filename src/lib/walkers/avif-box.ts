// Steps through the boxes of an ISO media file (AVIF) as it streams by.
import type { Buffer } from 'node:buffer';
import { corrupt } from './image-fault.ts';
import type { ByteReader, Walk } from './byte-reader.ts';

/** `end` is a position in the file; Infinity for a box that lasts as long as the file. */
export type Box = { type: string; end: number };

/** Undefined when the file ends before a whole box header. */
export function* tryReadBox(reader: ByteReader): Walk<Box | undefined> {
  const start = reader.position;
  const header = yield* reader.tryTake(8);
  if (header === undefined) return undefined;
  const type = header.toString('latin1', 4, 8);
  const size = header.readUInt32BE(0);
  if (size === 0) return { type, end: Infinity };
  if (size !== 1) return { type, end: boxEnd(start, size, 8) };
  const large = yield* reader.tryTake(8);
  return large && { type, end: boxEnd(start, readUInt64(large, 0), 16) };
}

/** Calls `visit` at the start of each inner box's content; what it leaves unread is skipped. */
export function* walkInnerBoxes(
  reader: ByteReader,
  end: number,
  visit: (box: Box) => Walk<void>,
): Walk<void> {
  while (end - reader.position >= 8) {
    const box = yield* tryReadBox(reader);
    if (box === undefined) break;
    if (box.end === Infinity) box.end = end;
    if (box.end > end) throw corrupt('a box is longer than what holds it');
    yield* visit(box);
    yield* reader.skipTo(box.end);
  }
  yield* reader.skipTo(end);
}

export function readUInt64(bytes: Buffer, at: number): number {
  return bytes.readUInt32BE(at) * 2 ** 32 + bytes.readUInt32BE(at + 4);
}

function boxEnd(start: number, size: number, headerBytes: number): number {
  if (size < headerBytes) throw corrupt('a box is shorter than its own header');
  return start + size;
}
