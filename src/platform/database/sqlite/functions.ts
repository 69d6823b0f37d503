// The functions our SQL needs beyond what SQLite brings: the database's clock, and sets of places in a block, united and diminished in the statement
// that changes them. Another engine brings its own under the same names.
import type Sqlite from 'better-sqlite3';
import {
  decodePlaces,
  encodePlaces,
  onlyMember,
  subtractPlaces,
  unitedMembers,
} from '../../../lib/block-members.ts';

export function addFunctions(sqlite: Sqlite.Database): void {
  sqlite.function('clock_ms', () => Date.now());
  const options = { deterministic: true };
  sqlite.function('place_members', options, (place: number) => asBuffer(onlyMember(place)));
  sqlite.function('united_members', options, (left: Uint8Array, right: Uint8Array) =>
    asBuffer(unitedMembers(left, right)),
  );
  sqlite.function('members_without', options, (left: Uint8Array, right: Uint8Array) => {
    const places = decodePlaces(left);
    subtractPlaces(places, decodePlaces(right));
    return asBuffer(encodePlaces(places));
  });
}

/** The same bytes; SQLite takes no other kind. */
function asBuffer({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}
