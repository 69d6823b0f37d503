// Names of staged files, which of them are in use, and the sweep of those nobody will finish: at once after a crash,
// since the name tells whose they were.

import { readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { isOwnerGone, newOwnerName } from '../owner-name.ts';
import { absentOr, storageError, systemCode } from './storage-error.ts';

// Of the whole process, not of one backend: two backends may share a folder.
const pathsInUse = new Set<string>();

export function claimStagingPath(folder: string): string {
  const path = join(folder, newOwnerName());
  pathsInUse.add(path);
  return path;
}

export function releaseStagingPath(path: string): void {
  pathsInUse.delete(path);
}

export async function sweepStaging(folder: string, olderThanMs: number): Promise<number> {
  const names = await readdir(folder).catch(absentOr<string[]>([]));
  let removed = 0;
  for (const name of names) {
    const path = join(folder, name);
    if (pathsInUse.has(path)) continue;
    if (!isOwnerGone(name) && !(await isOlder(path, olderThanMs))) continue;
    if (await removeFile(path)) removed += 1;
  }
  return removed;
}

async function isOlder(path: string, ageMs: number): Promise<boolean> {
  const facts = await stat(path).catch(absentOr(null));
  return facts !== null && Date.now() - facts.mtimeMs > ageMs;
}

async function removeFile(path: string): Promise<boolean> {
  try {
    await unlink(path);
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw storageError(error);
  }
}
