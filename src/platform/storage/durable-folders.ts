// Makes the folders of keys and remembers which are known to survive a power cut, so that an upload into a folder used
// before costs no extra call. A folder this process has not yet seen is trusted only after its parent was synced:
// whoever made it may have crashed before doing so.

import { mkdir } from 'node:fs/promises';
import { dirname, sep } from 'node:path';
import type { SyncFolder } from './folder-sync.ts';
import { systemCode } from './storage-error.ts';

const maxRemembered = 10_000;

export interface DurableFolders {
  ensure(folder: string): Promise<void>;
  /** For a folder found missing: it and its parents are looked at again. */
  forget(folder: string): void;
  /** For a folder that was removed with all that was in it. */
  forgetBelow(folder: string): void;
}

/** The root itself is never made here: should a disk vanish, nothing is written to what lies under its mount point. */
export function createDurableFolders(root: string, syncFolder: SyncFolder): DurableFolders {
  const known = new Set<string>();
  const making = new Map<string, Promise<void>>();

  async function make(folder: string): Promise<void> {
    const parent = dirname(folder);
    await ensure(parent);
    await mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
      if (systemCode(error) !== 'EEXIST') throw error;
    });
    await syncFolder(parent);
    remember(folder);
  }

  function remember(folder: string): void {
    const [oldest] = known;
    if (known.size >= maxRemembered && oldest !== undefined) known.delete(oldest);
    known.add(folder);
  }

  async function ensure(folder: string): Promise<void> {
    if (folder === root || known.has(folder)) return;
    let made = making.get(folder);
    if (!made) {
      made = make(folder).finally(() => making.delete(folder));
      making.set(folder, made);
    }
    await made;
  }

  function forget(folder: string): void {
    for (let each = folder; each !== root; each = dirname(each)) known.delete(each);
  }

  function forgetBelow(folder: string): void {
    for (const each of known) if (each === folder || each.startsWith(`${folder}${sep}`)) known.delete(each);
  }

  return { ensure, forget, forgetBelow };
}
