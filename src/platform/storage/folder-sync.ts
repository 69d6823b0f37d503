// Makes names in a folder durable, in rounds: all who ask before a round's fsync begins share it, and who comes later
// waits for the next. Uploads of the same minutes share a folder, so under load one fsync serves many of them.

import { closeInBackground, openDescriptor, syncDescriptor } from './descriptors.ts';

export type SyncFolder = (folder: string) => Promise<void>;

interface Round {
  begun: boolean;
  done: Promise<void>;
}

export function createFolderSync(): SyncFolder {
  const newestRounds = new Map<string, Round>();

  async function run(folder: string, round: Round, previous: Promise<void> | undefined): Promise<void> {
    try {
      await previous?.catch(() => undefined);
      // Opened anew each time: a descriptor kept from before could belong to a removed folder of the same name.
      const descriptor = await openDescriptor(folder, 'r');
      round.begun = true;
      await syncDescriptor(descriptor).finally(() => closeInBackground(descriptor));
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
    round.done = run(folder, round, newest?.done);
    return round.done;
  };
}
