// Which stores of this data folder were moved elsewhere: a start with the old address would not find what came since, and
// one in the middle of the last look would write what nobody copies.
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { OperatorError } from '../../platform/errors.ts';

export type MovedStore = {
  readonly from: string;
  readonly to: string;
  /** `finishing` from before the last look until all is there. */
  readonly state: 'finishing' | 'moved';
  readonly at: string;
};

type Stores = { filesStore: string; storageStore: string };

const fileIn = (dataDir: string): string => join(dataDir, 'moved-stores.json');

export function readMovedStores(dataDir: string): MovedStore[] {
  try {
    return JSON.parse(readFileSync(fileIn(dataDir), 'utf8')) as MovedStore[];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Durable when it returns. */
export function noteMovedStore(dataDir: string, moved: MovedStore): void {
  replaceFile(dataDir, withMove(readMovedStores(dataDir), moved));
}

/** What was moved here from elsewhere before is at home again. */
export function withMove(known: readonly MovedStore[], moved: MovedStore): MovedStore[] {
  const others = known.filter(
    ({ from }) => from !== moved.from && (moved.state !== 'moved' || from !== moved.to),
  );
  return [...others, moved];
}

/** An unfinished move is undone: the service goes on where it was. */
export function forgetUnfinishedMoves(dataDir: string): number {
  const known = readMovedStores(dataDir);
  const finished = known.filter(({ state }) => state === 'moved');
  if (finished.length < known.length) replaceFile(dataDir, finished);
  return known.length - finished.length;
}

export function refuseMovedStores({ filesStore, storageStore }: Stores, moves: readonly MovedStore[]): void {
  for (const { from, to, state } of moves) {
    for (const [setting, address] of [
      ['FILES_STORE', filesStore],
      ['STORAGE_STORE', storageStore],
    ] as const) {
      if (state === 'moved' && address === from)
        throw new OperatorError(`${from} was moved. Set ${setting}=${to}`);
      if (state === 'finishing' && (address === from || address === to))
        throw new OperatorError(
          `${from} is being moved to ${to}, and that was not finished. Run "tintype migrate" again as before to finish it, or "tintype migrate --abandon" to stay with ${from}.`,
        );
    }
  }
}

function replaceFile(dataDir: string, moved: readonly MovedStore[]): void {
  const staged = `${fileIn(dataDir)}.new`;
  const file = openSync(staged, 'w', 0o600);
  writeSync(file, `${JSON.stringify(moved, null, 2)}\n`);
  fsyncSync(file);
  closeSync(file);
  renameSync(staged, fileIn(dataDir));
  const folder = openSync(dataDir, 'r');
  fsyncSync(folder);
  closeSync(folder);
}
