// A folder of this machine. Links are not followed, so nothing outside of it is ever read; what begins with a dot is a
// program's own and is left out.
import { constants, type Dirent, openAsBlob } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { FoundFile, ImportItem, ImportSource, OpenedFile } from './import-source.ts';

const readChunkBytes = 256 * 1024;

export function folderSource(root: string): ImportSource {
  return { name: root, items: () => walk(root) };
}

async function* walk(root: string, below = ''): AsyncGenerator<ImportItem> {
  const entries = await readdir(join(root, below), { withFileTypes: true });
  for (const entry of entries.sort(byName)) {
    if (entry.name.startsWith('.')) continue;
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) yield* walk(root, path);
    else if (entry.isFile()) yield fileAt(root, path);
    else yield { kind: 'skipped', path, reason: 'A link or a special file' };
  }
}

/** By code units, which no locale changes. */
function byName(left: Dirent, right: Dirent): number {
  return left.name < right.name ? -1 : 1;
}

function fileAt(root: string, path: string): FoundFile {
  return { kind: 'file', path, open: () => openFile(join(root, path)) };
}

async function openFile(file: string): Promise<OpenedFile> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  const { size, mtimeMs } = await handle.stat();
  return {
    state: `${size} ${Math.floor(mtimeMs)}`,
    sizeBytes: size,
    read: async () => handle.createReadStream({ start: 0, autoClose: false, highWaterMark: readChunkBytes }),
    asBlob: () => openAsBlob(file),
    [Symbol.asyncDispose]: () => handle.close(),
  };
}
