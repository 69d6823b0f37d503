// Names for what this process holds where others may find it after its death: staged files, leases. A name carries host
// and process, so that whoever starts next need not wait for them to grow old.
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { randomHex } from './random.ts';

const ownHost = `${hostname().replace(/[^A-Za-z0-9.-]/g, '_') || 'localhost'}${processSpace()}`;
const namePattern = /^(?<host>.+)-(?<pid>[1-9][0-9]*)-[0-9a-f]+$/;

/** Containers may have one host name and each its own process numbers: then nobody can tell whose process has ended. */
function processSpace(): string {
  try {
    return `.${/\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? ''}`;
  } catch {
    return '';
  }
}

export function newOwnerName(): string {
  return ownerName(process.pid, randomHex(12));
}

/** A name that both the process and whoever started it can tell; `hex` sets it apart from others of that process. */
export function ownerName(pid: number, hex: string): string {
  return `${ownHost}-${pid}-${hex}`;
}

/**
 * Whether the process that made the name has ended; false when that cannot be told from here. A name of this process
 * counts as gone too, because an earlier one may have had its number: who still holds some keeps a list of them.
 */
export function isOwnerGone(name: string): boolean {
  const { host, pid } = namePattern.exec(name)?.groups ?? {};
  if (host !== ownHost) return false;
  return Number(pid) === process.pid || !isAlive(Number(pid));
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0) && !isZombie(pid);
  } catch (error) {
    // Any other refusal means that there is such a process, only not ours.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** Dead, but not yet noticed by its parent, which for an orphan may take a while. */
function isZombie(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name of the program, in parentheses, may hold anything.
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
  } catch {
    return false;
  }
}
