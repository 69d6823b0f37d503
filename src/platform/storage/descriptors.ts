// Files by their descriptors rather than as `FileHandle`s, whose bookkeeping costs a small upload half as much again.
import { close, fsync, open, writev } from 'node:fs';
import { promisify } from 'node:util';

export const openDescriptor = promisify(open);
export const writeVector = promisify(writev);
export const syncDescriptor = promisify(fsync);

/** Nobody waits for it and it tells of no failure: what matters was reported by the sync before it. */
export function closeInBackground(descriptor: number): void {
  close(descriptor, () => undefined);
}
