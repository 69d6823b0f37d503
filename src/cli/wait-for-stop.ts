// For what must not happen beside a server: waits until it has stopped, and takes its place.
import { setTimeout as pause } from 'node:timers/promises';
import { DataDirLocked, lockDataDir, lockHolder } from '../platform/database/data-dir-lock.ts';

const lookEveryMs = 300;

/** `meanwhile` is done again and again while somebody has the folder. */
export async function lockWhenStopped(
  dataDir: string,
  command: string,
  meanwhile: () => Promise<unknown>,
): Promise<{ release(): void }> {
  for (let isTold = false; ;) {
    try {
      return lockDataDir(dataDir, command);
    } catch (error) {
      if (!(error instanceof DataDirLocked)) throw error;
    }
    if (!isTold)
      console.error(
        `Nearly all is there. Stop the server now (${lockHolder(dataDir) ?? 'it is stopping'}): the rest is done as soon as it has ended.`,
      );
    isTold = true;
    await meanwhile();
    await pause(lookEveryMs);
  }
}

/** One of these commands at a time in a data folder, beside the server. */
export function lockCommand(dataDir: string, command: string): { release(): void } {
  try {
    return lockDataDir(`${dataDir}/moving`, command);
  } catch (error) {
    if (!(error instanceof DataDirLocked)) throw error;
    throw new DataDirLocked(`Another "${command}" works on ${dataDir}; wait for its end`);
  }
}
