// Steps through the chunks between two positions of a RIFF file, which is what a WebP is and what its frames are again.
import { corrupt } from './image-fault.ts';
import type { ByteReader, Walk } from './byte-reader.ts';

export type RiffChunk = { type: string; length: number };

/** Calls `visit` at the start of each chunk's data; what it leaves unread is skipped. */
export function* walkRiffChunks(
  reader: ByteReader,
  end: number,
  visit: (chunk: RiffChunk) => Walk<void>,
): Walk<void> {
  while (end - reader.position >= 8) {
    const header = yield* reader.take(8);
    const length = header.readUInt32LE(4);
    const next = reader.position + length + (length % 2);
    if (next > end) throw corrupt('a chunk is longer than what holds it');
    yield* visit({ type: header.toString('latin1', 0, 4), length });
    yield* reader.skipTo(next);
  }
  yield* reader.skipTo(end);
}
