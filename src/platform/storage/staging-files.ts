// Names of staged files, which of them are in use, and the sweep of those nobody will finish. The name carries host and
// process, so that after a crash the next start need not wait for them to grow old.

import { randomBytes } from 'node:crypto';
import { readdir, stat, unlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { absentOr, storageError, systemCode } from './storage-error.ts';

const ownHost = hostname().replace(/[^A-Za-z0-9.-]/g, '_') || 'localhost';
const namePattern = /^(?<host>.+)-(?<pid>[1-9][0-9]*)-[0-9a-f]+$/;

// Of the whole process, not of one backend: two backends may share a folder.
const pathsInUse = new Set<string>();

export function claimStagingPath(folder: string): string {
  const path = join(folder, `${ownHost}-${process.pid}-${randomBytes(12).toString('hex')}`);
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

function isOwnerGone(name: string): boolean {
  const { host, pid } = namePattern.exec(name)?.groups ?? {};
  if (host !== ownHost) return false;
  return Number(pid) === process.pid || !isAlive(Number(pid));
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Any other refusal means that there is such a process, only not ours.
    return systemCode(error) !== 'ESRCH';
  }
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
