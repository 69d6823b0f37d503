// Finds the files of a folder to import, in an order that is the same every time. Links are not followed, so nothing
// outside the folder is ever read; what begins with a dot is a program's own and is left out.
import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** `path` is relative to the folder and written with slashes. */
export type FoundEntry = { path: string; isFile: boolean };

export async function* walkFolder(root: string, below = ''): AsyncGenerator<FoundEntry> {
  const entries = await readdir(join(root, below), { withFileTypes: true });
  for (const entry of entries.sort(byName)) {
    if (entry.name.startsWith('.')) continue;
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) yield* walkFolder(root, path);
    else yield { path, isFile: entry.isFile() };
  }
}

/** By code units, which no locale changes. */
function byName(left: Dirent, right: Dirent): number {
  return left.name < right.name ? -1 : 1;
}
