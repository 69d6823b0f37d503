// A list of addresses: one a line, and after tabs, if wanted, the id of the object and its tags.
import type { FoundAddress, ImportItem, ImportSource, LeftOut } from './import-source.ts';

/** All lists have one name: an address is the same thing in whichever list it stands. */
export function listSource(text: string): ImportSource {
  return {
    name: 'addresses',
    async *items() {
      yield* itemsOf(text);
    },
  };
}

function itemsOf(text: string): ImportItem[] {
  const items = new Map<string, ImportItem>();
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const item = itemOf(line, index + 1);
    // What stands there twice is meant once.
    items.set(item.path, item);
  }
  return [...items.values()];
}

function itemOf(line: string, number: number): FoundAddress | LeftOut {
  const [url = '', objectId = '', tags = '', ...more] = line.split('\t').map((part) => part.trim());
  if (url === '' || more.length > 0) {
    const reason = 'A line is an address and, after tabs, the id of the object and its tags';
    return { kind: 'failed', path: `line ${number}`, reason };
  }
  return {
    kind: 'address',
    path: objectId === '' ? url : `${url} (${objectId})`,
    url,
    objectId: objectId || undefined,
    tags: tags || undefined,
  };
}
