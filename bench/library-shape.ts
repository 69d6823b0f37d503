// What the large library holds, as pure functions of an object's number: who fills it and who asks for it agree by this.

export const liveObjects = 1_000_000;

/** Pairs of tags that no object has by design and many have by chance, spread over the whole library. */
export const fewThousand = ['beach', 'holiday'] as const;
export const manyThousand = ['family', 'summer'] as const;
export const oneFolder = 'folder-7';

const shares: Record<string, number> = { beach: 0.05, holiday: 0.05, family: 0.3, summer: 0.2 };
const rolls = 200;
const folders = 50;
const millisecondsApart = 60_000;
const firstUpload = Date.UTC(2024, 0, 1);

export type LibraryObject = {
  seq: number;
  generation: string;
  objectId: string;
  sizeBytes: number;
  tags: string[];
  folder: string | null;
  createdAt: number;
};

export function* libraryObjects(): Generator<LibraryObject> {
  let live = 0;
  for (let seq = 1; live < liveObjects; seq++) {
    if (chance(seq, 1) < 0.1) continue;
    live += 1;
    yield objectOf(seq);
  }
}

function objectOf(seq: number): LibraryObject {
  const createdAt = firstUpload + seq * millisecondsApart;
  const tags = Object.entries(shares).filter(([, share], i) => chance(seq, 2 + i) < share);
  const folder = Math.floor(chance(seq, 10) * folders * 2);
  return {
    seq,
    generation: hex(createdAt, 12) + randomHex(seq, 20),
    objectId: randomHex(seq, 30),
    sizeBytes: 50_000 + Math.floor(chance(seq, 11) * 5_000_000),
    tags: [...tags.map(([tag]) => tag), `roll-${Math.floor(chance(seq, 12) * rolls)}`],
    folder: folder < folders ? `folder-${folder}` : null,
    createdAt,
  };
}

/** From 0 to 1, the same for the same numbers, and independent between kinds. */
function chance(seq: number, kind: number): number {
  let mixed = Math.imul(seq, 0x9e3779b1) ^ Math.imul(kind, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x7feb352d);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b);
  return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
}

/** 12 digits, different for every number: the last 24 bits scatter it, the first are the number itself, scattered. */
function randomHex(seq: number, kind: number): string {
  const scattered = Math.imul(seq, 0x9e3779b1) >>> 0;
  return hex(scattered, 8) + hex(Math.floor(chance(seq, kind) * 0x10000), 4);
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
