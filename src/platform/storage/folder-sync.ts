// Makes names in a folder durable, in rounds: all who ask before a round's fsync begins share it, and who comes later
// waits for the next. Uploads of the same minutes share a folder, so under load one fsync serves many of them.

import { closeInBackground, closeSynced, openDescriptor, syncDescriptor } from './descriptors.ts';

export type SyncFolder = (folder: string) => Promise<void>;

/** Handed on from round to round, but not for long: it could by then belong to a removed folder of the same name. */
const maxHandedOnMs = 1000;

type OpenFolder = { descriptor: number; openedAt: number };

interface Round {
  begun: boolean;
  done: Promise<void>;
  /** Left for the round that waits for this one. */
  left?: OpenFolder;
}

export function createFolderSync(): SyncFolder {
  const newestRounds = new Map<string, Round>();

  async function run(folder: string, round: Round, previous: Round | undefined): Promise<void> {
    try {
      await previous?.done.catch(() => undefined);
      const opened = previous?.left ?? (await openFolder(folder));
      round.begun = true;
      await syncDescriptor(opened.descriptor).catch((error: unknown) => {
        closeInBackground(opened.descriptor);
        throw error;
      });
      const isAwaited = newestRounds.get(folder) !== round;
      if (isAwaited && performance.now() - opened.openedAt < maxHandedOnMs) round.left = opened;
      else closeSynced(opened.descriptor);
    } finally {
      round.begun = true;
      if (newestRounds.get(folder) === round) newestRounds.delete(folder);
    }
  }

  return (folder) => {
    const newest = newestRounds.get(folder);
    if (newest && !newest.begun) return newest.done;
    const round: Round = { begun: false, done: Promise.resolve() };
    newestRounds.set(folder, round);
    round.done = run(folder, round, newest);
    return round.done;
  };
}

async function openFolder(folder: string): Promise<OpenFolder> {
  return { descriptor: await openDescriptor(folder, 'r'), openedAt: performance.now() };
}
