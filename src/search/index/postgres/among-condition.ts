// "Only these" in SQL: few by their places, many by a bit for each place of the account.
import { type RawBuilder, sql } from 'kysely';
import { blockSize, countPlaces, type Places, placesDescending } from '../../../lib/block-members.ts';
import type { Among } from '../picture-index.ts';

const blockBytes = blockSize / 8;

export function countAmong(among: Among): number {
  return [...among.values()].reduce((sum, places) => sum + countPlaces(places), 0);
}

/** Found by the index on places, one by one. */
export function isOneOfFew(among: Among): RawBuilder<boolean> {
  const seqs = [...among].flatMap(([block, places]) =>
    placesDescending(places).map((place) => block * blockSize + place),
  );
  return sql`seq = any(cast(${`{${seqs.join(',')}}`} as bigint[]))`;
}

/** Looked at row by row. */
export function isOneOfMany(among: Among): RawBuilder<boolean> {
  const blocks = [...among.keys()];
  const first = blocks.reduce((least, block) => Math.min(least, block), Infinity);
  const last = blocks.reduce((most, block) => Math.max(most, block), 0);
  const bits = new Uint8Array((last - first + 1) * blockBytes);
  for (const [block, places] of among) bits.set(bytesOf(places), (block - first) * blockBytes);
  const [firstSeq, endSeq] = [first * blockSize, (last + 1) * blockSize];
  // The bit is asked for only where there is one, which `and` alone does not promise.
  return sql`case when seq >= ${firstSeq} and seq < ${endSeq}
    then get_bit(cast(${Buffer.from(bits.buffer)} as bytea), cast(seq - ${firstSeq} as integer)) = 1 else false end`;
}

function bytesOf(places: Places): Uint8Array {
  return new Uint8Array(places.buffer, places.byteOffset, places.byteLength);
}
