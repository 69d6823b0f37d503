// The second fence between requests and the file system: what is not exactly a key of ours is refused before any path
// is built from it. No segment starts with a dot, so `..` and the backend's own folders cannot be named.

const segment = '[a-z0-9_-][a-z0-9._-]{0,199}';
const segmentPattern = new RegExp(`^${segment}$`);
const keyPattern = new RegExp(`^${segment}(?:/${segment})*$`);
const prefixPattern = new RegExp(`^(?:${segment}/)*(?:${segment})?$`);
const maxKeyLength = 512;

export function isKeySegment(name: string): boolean {
  return segmentPattern.test(name);
}

export function isStorageKey(key: string): boolean {
  return typeof key === 'string' && key.length <= maxKeyLength && keyPattern.test(key);
}

export function assertStorageKey(key: string): void {
  if (!isStorageKey(key)) refuse('key', key);
}

/** A prefix is the beginning of a key and may end inside a segment. */
export function assertKeyPrefix(prefix: string): void {
  if (typeof prefix !== 'string' || prefix.length > maxKeyLength || !prefixPattern.test(prefix)) {
    refuse('prefix', prefix);
  }
}

export function assertFolderKey(prefix: string): void {
  assertKeyPrefix(prefix);
  if (!prefix.endsWith('/')) refuse('folder', prefix);
}

function refuse(what: string, value: unknown): never {
  throw new TypeError(`Not a storage ${what}: ${JSON.stringify(value)?.slice(0, 100)}`);
}
