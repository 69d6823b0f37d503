// How many commits the log beside a SQLite file holds: each frame that ends one carries the size of the database after it.
import { readFileSync } from 'node:fs';

const headerBytes = 32;
const frameHeaderBytes = 24;

/** Right while the log is not begun anew, which it is only after a thousand pages. */
export function committedGroups(file: string): number {
  const log = readFileSync(`${file}-wal`);
  const frameBytes = frameHeaderBytes + log.readUInt32BE(8);
  const salt = log.subarray(16, 24);
  let commits = 0;
  for (let at = headerBytes; at + frameBytes <= log.length; at += frameBytes) {
    if (!log.subarray(at + 8, at + 16).equals(salt)) break;
    if (log.readUInt32BE(at + 4) > 0) commits += 1;
  }
  return commits;
}
