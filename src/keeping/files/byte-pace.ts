// Reads no faster than it may, so that a service beside it keeps its disk.
import { setTimeout as pause } from 'node:timers/promises';

/** Resolves when as many bytes may be taken. */
export type BytePace = (bytes: number) => Promise<void>;

export function createBytePace(bytesPerSecond: number | null): BytePace {
  if (bytesPerSecond === null) return async () => undefined;
  let freeAt = 0;
  return async (bytes) => {
    const now = performance.now();
    const startsAt = Math.max(now, freeAt);
    freeAt = startsAt + (bytes / bytesPerSecond) * 1000;
    if (startsAt > now) await pause(startsAt - now);
  };
}
