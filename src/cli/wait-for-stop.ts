// For what must not happen beside a server: waits until it has stopped, and takes its place.
import { setTimeout as pause } from 'node:timers/promises';
import { countOthers } from '../keeping/files/moves-of-nodes.ts';
import type { Database } from '../platform/database/database.ts';
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

/** The same for all nodes of a database: resolves when nobody else has it open. */
export async function waitForNodes(database: Database, meanwhile: () => Promise<unknown>): Promise<void> {
  let told = 0;
  for (let look = 1; ; look += 1) {
    const others = await countOthers(database);
    if (others === 0) return;
    // A session that has just ended may be counted once more.
    if (look > 1 && others !== told) {
      console.error(
        `Stop all other nodes, workers and commands now: ${others} still use the database. The rest is done as soon as they have ended.`,
      );
      told = others;
    }
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
