// Which of the 4096 places of a block are taken, as bytes: a sorted list of 16-bit numbers while they are few, a bitmap
// of 512 bytes once that is smaller. Pure; what a listing of millions of objects is made of.

export const blockSize = 4096;
const bitmapBytes = blockSize / 8;

/** 128 words of 32 bits. */
export type Places = Uint32Array;

export function emptyPlaces(): Places {
  return new Uint32Array(blockSize / 32);
}

export function decodePlaces(bytes: Uint8Array): Places {
  const places = emptyPlaces();
  if (bytes.length === bitmapBytes) {
    new Uint8Array(places.buffer).set(bytes);
    return places;
  }
  for (let i = 0; i + 1 < bytes.length; i += 2) setPlace(places, placeAt(bytes, i));
  return places;
}

export function encodePlaces(places: Places): Uint8Array {
  const count = countPlaces(places);
  if (count * 2 >= bitmapBytes) return new Uint8Array(places.buffer.slice(0));
  const bytes = new Uint8Array(count * 2);
  let at = 0;
  for (const place of placesDescending(places).reverse()) {
    bytes[at++] = place & 0xff;
    bytes[at++] = place >> 8;
  }
  return bytes;
}

/** The bytes of one place alone. */
export function onlyMember(place: number): Uint8Array {
  return Uint8Array.of(place & 0xff, place >> 8);
}

/**
 * Bytes with what either has. Every upload adds one place, mostly the highest, to bytes that may be read as they are: then
 * nothing is decoded.
 */
export function unitedMembers(left: Uint8Array, right: Uint8Array): Uint8Array {
  if (right.length === 2) {
    if (left.length === bitmapBytes) return withBit(left, placeAt(right, 0));
    const isHighest = left.length === 0 || placeAt(left, left.length - 2) < placeAt(right, 0);
    if (isHighest && left.length + 2 < bitmapBytes) return joined(left, right);
  }
  const places = decodePlaces(left);
  unitePlaces(places, decodePlaces(right));
  return encodePlaces(places);
}

function withBit(bitmap: Uint8Array, place: number): Uint8Array {
  const bytes = new Uint8Array(bitmap);
  bytes[place >> 3] = (bytes[place >> 3] as number) | (1 << (place & 7));
  return bytes;
}

function joined(left: Uint8Array, right: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(left.length + right.length);
  bytes.set(left);
  bytes.set(right, left.length);
  return bytes;
}

export function setPlace(places: Places, place: number): void {
  places[place >> 5] = ((places[place >> 5] as number) | (1 << (place & 31))) >>> 0;
}

export function hasPlace(places: Places, place: number): boolean {
  return (((places[place >> 5] as number) >>> (place & 31)) & 1) === 1;
}

/** Adds to `places` what is in `other`. */
export function unitePlaces(places: Places, other: Places): void {
  for (let word = 0; word < places.length; word++)
    places[word] = (places[word] as number) | (other[word] as number);
}

/** Takes out of `places` what is in `other`. */
export function subtractPlaces(places: Places, other: Places): void {
  for (let word = 0; word < places.length; word++)
    places[word] = (places[word] as number) & ~(other[word] as number);
}

export function countPlaces(places: Places): number {
  let count = 0;
  for (let word of places) {
    word -= (word >>> 1) & 0x55555555;
    word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
    count += (((word + (word >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
  }
  return count;
}

export function placesDescending(places: Places): number[] {
  const found: number[] = [];
  for (let index = places.length - 1; index >= 0; index--) {
    let word = places[index] as number;
    while (word !== 0) {
      const bit = 31 - Math.clz32(word);
      found.push(index * 32 + bit);
      word = (word & ~(1 << bit)) >>> 0;
    }
  }
  return found;
}

/** Bytes with what both have, which stay as short as the shorter one; without decoding, of which a listing has hundreds. */
export function commonMembers(left: Uint8Array, right: Uint8Array): Uint8Array {
  if (left.length === bitmapBytes) {
    return right.length === bitmapBytes ? commonOfBitmaps(left, right) : listedIn(right, left);
  }
  return right.length === bitmapBytes ? listedIn(left, right) : commonOfLists(left, right);
}

export function countMembers(bytes: Uint8Array): number {
  return bytes.length === bitmapBytes ? countPlaces(decodePlaces(bytes)) : bytes.length / 2;
}

function commonOfBitmaps(left: Uint8Array, right: Uint8Array): Uint8Array {
  const common = new Uint8Array(bitmapBytes);
  for (let i = 0; i < bitmapBytes; i++) common[i] = (left[i] as number) & (right[i] as number);
  return common;
}

const found = new Uint8Array(bitmapBytes);
const ofList = new Uint8Array(bitmapBytes);

function listedIn(list: Uint8Array, bitmap: Uint8Array): Uint8Array {
  let length = 0;
  for (let i = 0; i < list.length; i += 2) {
    const place = placeAt(list, i);
    if ((((bitmap[place >> 3] as number) >> (place & 7)) & 1) === 1) length = append(place, length);
  }
  return found.slice(0, length);
}

/** Through a bitmap: walking both at once is several times slower, since no processor guesses which comes next. */
function commonOfLists(left: Uint8Array, right: Uint8Array): Uint8Array {
  ofList.fill(0);
  for (let i = 0; i < left.length; i += 2) {
    const place = placeAt(left, i);
    ofList[place >> 3] = (ofList[place >> 3] as number) | (1 << (place & 7));
  }
  return listedIn(right, ofList);
}

function append(place: number, length: number): number {
  found[length] = place & 0xff;
  found[length + 1] = place >> 8;
  return length + 2;
}

function placeAt(list: Uint8Array, i: number): number {
  return (list[i] as number) | ((list[i + 1] as number) << 8);
}
