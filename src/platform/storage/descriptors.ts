// Files by their descriptors rather than as `FileHandle`s, whose bookkeeping costs a small upload half as much again. Each call
// into the thread pool wakes a thread, which costs the event loop more than the call costs the disk: so there are few of them.
import { close, closeSync, constants, fsync, open, writev } from 'node:fs';
import { promisify } from 'node:util';

export const openDescriptor = promisify(open);
export const writeVector = promisify(writev);
export const syncDescriptor = promisify(fsync);

const { O_CREAT, O_EXCL, O_SYNC, O_WRONLY } = constants;

/** macOS leaves what is written so in the drive's own memory, which its fsync does not; Windows has no such flag. */
export const writesCanSync = process.platform === 'linux';

/** A file that was not there before. `synced`: each write is on the disk when it returns, as if an fsync came with it. */
export function openNewFile(path: string, { synced }: { synced: boolean }): Promise<number> {
  return openDescriptor(path, O_CREAT | O_EXCL | O_WRONLY | (synced ? O_SYNC : 0), 0o600);
}

/** At once, which takes microseconds when there is nothing left to write. */
export function closeSynced(descriptor: number): void {
  try {
    closeSync(descriptor);
  } catch {
    // What matters was reported by the sync before it.
  }
}

/** Nobody waits for it and it tells of no failure. */
export function closeInBackground(descriptor: number): void {
  close(descriptor, () => undefined);
}
