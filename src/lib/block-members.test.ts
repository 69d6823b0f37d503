import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  blockSize,
  commonMembers,
  countMembers,
  countPlaces,
  decodePlaces,
  emptyPlaces,
  encodePlaces,
  onlyMember,
  type Places,
  placesDescending,
  setPlace,
  subtractPlaces,
  unitedMembers,
} from './block-members.ts';

function clearPlace(places: Places, place: number): void {
  const one = emptyPlaces();
  setPlace(one, place);
  subtractPlaces(places, one);
}

const bitmapBytes = 512;
const place = fc.oneof(
  fc.integer({ min: 0, max: blockSize - 1 }),
  // The edges of words and of the block.
  fc.constantFrom(0, 1, 30, 31, 32, 33, 63, 64, 4063, 4064, blockSize - 2, blockSize - 1),
);
const fewPlaces = fc.uniqueArray(place, { maxLength: 40 });
/** So many that the encoding changes somewhere in between. */
const manyPlaces = fc
  .tuple(fc.integer({ min: 0, max: 700 }), fc.integer({ min: 1, max: blockSize - 1 }), fewPlaces)
  .map(([length, step, some]) => [
    ...new Set([...Array.from({ length }, (_, index) => (index * (step | 1)) % blockSize), ...some]),
  ]);
const anyPlaces = fc.oneof(fewPlaces, manyPlaces);

function placesOf(members: Iterable<number>): Places {
  const places = emptyPlaces();
  for (const member of members) setPlace(places, member);
  return places;
}

const descending = (members: Iterable<number>): number[] => [...members].sort((a, b) => b - a);

describe('the members of a block', () => {
  test('what was set is found again, newest first, and counted', () => {
    fc.assert(
      fc.property(anyPlaces, (members) => {
        const places = placesOf(members);
        assert.deepEqual(placesDescending(places), descending(members));
        assert.equal(countPlaces(places), members.length);
      }),
    );
  });

  test('setting and clearing in any order leaves what a Set would hold', () => {
    const step = fc.record({ set: fc.boolean(), place });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const model = new Set<number>();
        const places = emptyPlaces();
        for (const { set, place: at } of steps) {
          if (set) model.add(at);
          else model.delete(at);
          (set ? setPlace : clearPlace)(places, at);
        }
        assert.deepEqual(placesDescending(places), descending(model));
        assert.equal(countPlaces(places), model.size);
      }),
    );
  });

  test('bytes of two are united to the bytes of all they have, and stay as they were', () => {
    const later = fc.oneof(
      place.map((one) => [one]),
      anyPlaces,
    );
    fc.assert(
      fc.property(anyPlaces, later, (left, right) => {
        const bytes = [encodePlaces(placesOf(left)), encodePlaces(placesOf(right))] as const;
        const before = bytes.map((each) => each.slice());
        const united = encodePlaces(placesOf([...left, ...right]));
        assert.deepEqual(unitedMembers(...bytes), united);
        assert.deepEqual(bytes, before);
      }),
    );
  });

  test('a block that is filled place by place has at each step the bytes of its members', () => {
    let bytes: Uint8Array = encodePlaces(emptyPlaces());
    const places = emptyPlaces();
    for (let each = 0; each < blockSize; each++) {
      setPlace(places, each);
      bytes = unitedMembers(bytes, onlyMember(each));
      assert.deepEqual(bytes, encodePlaces(places));
    }
  });

  test('what two have in common is found in their bytes, and counted, which stay as they were', () => {
    fc.assert(
      fc.property(anyPlaces, anyPlaces, (left, right) => {
        const bytes = encodePlaces(placesOf(left));
        const other = encodePlaces(placesOf(right));
        const common = commonMembers(bytes, other);
        const expected = descending(new Set(left).intersection(new Set(right)));
        assert.deepEqual(placesDescending(decodePlaces(common)), expected);
        assert.equal(countMembers(common), expected.length);
        assert.ok(common.length <= Math.min(bytes.length, other.length));
        assert.deepEqual(placesDescending(decodePlaces(bytes)), descending(left));
        assert.deepEqual(placesDescending(decodePlaces(other)), descending(right));
      }),
    );
  });

  test('bytes give back the members they were made of', () => {
    fc.assert(
      fc.property(anyPlaces, (members) => {
        const bytes = encodePlaces(placesOf(members));
        assert.deepEqual(placesDescending(decodePlaces(bytes)), descending(members));
        // As they come back from SQLite: part of a larger buffer.
        const inside = Buffer.concat([Buffer.from([255]), bytes, Buffer.from([255])]).subarray(1, -1);
        assert.deepEqual(placesDescending(decodePlaces(inside)), descending(members));
      }),
    );
  });

  test('few members are a list of two bytes each, and never take more than the bitmap', () => {
    for (const count of [0, 1, 2, 100, 254, 255, 256, 257, 1000, blockSize]) {
      const bytes = encodePlaces(placesOf(Array.from({ length: count }, (_, index) => index)));
      assert.equal(bytes.length, Math.min(count * 2, bitmapBytes), `${count} members`);
      assert.equal(countPlaces(decodePlaces(bytes)), count);
    }
  });

  test('the switch between list and bitmap keeps every member, in both directions', () => {
    const members = Array.from({ length: 300 }, (_, index) => (index * 2711) % blockSize);
    let bytes = encodePlaces(emptyPlaces());
    const change = (apply: typeof setPlace, member: number): void => {
      const places = decodePlaces(bytes);
      apply(places, member);
      bytes = encodePlaces(places);
    };
    members.forEach((member, index) => {
      change(setPlace, member);
      assert.deepEqual(placesDescending(decodePlaces(bytes)), descending(members.slice(0, index + 1)));
    });
    assert.equal(bytes.length, bitmapBytes);
    members.forEach((member, index) => {
      change(clearPlace, member);
      assert.deepEqual(placesDescending(decodePlaces(bytes)), descending(members.slice(index + 1)));
    });
    assert.equal(bytes.length, 0);
  });

  test('encoded bytes do not change with the members they were made of', () => {
    const places = placesOf(Array.from({ length: 256 }, (_, index) => index));
    const bytes = encodePlaces(places);
    clearPlace(places, 0);
    assert.equal(countPlaces(decodePlaces(bytes)), 256);
  });
});
