// Walks stored files in the order of their keys, one folder in memory at a time.

import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { absentOr } from './storage-error.ts';
import { isKeySegment } from './storage-key.ts';
import type { StoredFacts } from './storage.ts';

const statsAtOnce = 32;

type ListedFile = StoredFacts & { key: string };

export function listFiles(
  root: string,
  prefix: string,
  { after = '' }: { after?: string } = {},
): AsyncIterable<ListedFile> {
  const isWanted = (key: string): boolean =>
    key.startsWith(prefix) && (key > after || (isFolderKey(key) && after.startsWith(key)));
  return walk(root, prefix.slice(0, prefix.lastIndexOf('/') + 1), isWanted);
}

type IsWanted = (key: string) => boolean;

async function* walk(root: string, folderKey: string, isWanted: IsWanted): AsyncGenerator<ListedFile> {
  const keys = await keysIn(root, folderKey, isWanted);
  for (let index = 0; index < keys.length; index += statsAtOnce) {
    const group = keys.slice(index, index + statsAtOnce);
    const facts = await Promise.all(
      group.map(async (key) => (isFolderKey(key) ? null : fileFacts(join(root, key)))),
    );
    for (const [position, key] of group.entries()) {
      const found = facts[position];
      if (isFolderKey(key)) yield* walk(root, key, isWanted);
      else if (found) yield { key, ...found };
    }
  }
}

/** Folders keep their slash, because keys compare with it: `a-b` comes before `a/b`, and `a0` after it. */
async function keysIn(root: string, folderKey: string, isWanted: IsWanted): Promise<string[]> {
  const entries = await readdir(join(root, folderKey), { withFileTypes: true }).catch(absentOr<Dirent[]>([]));
  return entries
    .filter((entry) => isKeySegment(entry.name) && (entry.isFile() || entry.isDirectory()))
    .map((entry) => folderKey + entry.name + (entry.isDirectory() ? '/' : ''))
    .filter(isWanted)
    .sort();
}

function isFolderKey(key: string): boolean {
  return key.endsWith('/');
}

/** Null for what is not a stored file, or is one no longer. */
export async function fileFacts(path: string): Promise<StoredFacts | null> {
  const facts = await stat(path).catch(absentOr(null));
  return facts?.isFile() ? { size: facts.size, modifiedAt: Math.floor(facts.mtimeMs) } : null;
}
