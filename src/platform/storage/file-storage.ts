// Stores objects as files in a folder. Order of every write: bytes, fsync of the file, rename to the key, fsync of the
// folder; only then does the caller hear of success. Emptied folders stay: removing one could take its name from under
// a commit that has just made it durable, and there is at most one per bucket and quarter of an hour.

import { rename, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { failpoint } from '../failpoints.ts';
import { createDurableFolders, type DurableFolders } from './durable-folders.ts';
import { createFolderSync, type SyncFolder } from './folder-sync.ts';
import { fileFacts, listFiles } from './list-files.ts';
import { makeRoot } from './make-root.ts';
import { readFileRange } from './read-file-range.ts';
import { StagedDiskFile } from './staged-file.ts';
import { sweepStaging } from './staging-files.ts';
import { isAbsent, storageError, systemCode } from './storage-error.ts';
import { assertKeyPrefix, assertStorageKey } from './storage-key.ts';
import type { StagedFile, Storage } from './storage.ts';

/** Makes the root when it is missing, and throws when that cannot be done. */
export function createFileStorage(options: { root: string }): Storage {
  const root = resolve(options.root);
  makeRoot(root);
  const stagingFolder = join(root, '.staging');
  const syncFolder = createFolderSync();
  const folders = createDurableFolders(root, syncFolder);

  function pathOf(key: string): string {
    assertStorageKey(key);
    return join(root, key);
  }

  function stage(): StagedDiskFile {
    return new StagedDiskFile(stagingFolder, async (path, key) =>
      moveDurably(path, pathOf(key), folders, syncFolder),
    );
  }

  return {
    stage: async () => stage(),
    put: (key, data) => putStaged(stage(), key, data),
    get: async (key, range) => readFileRange(pathOf(key), range),
    head: async (key) => fileFacts(pathOf(key)),
    delete: async (key) => removeDurably(pathOf(key), syncFolder),
    list: (prefix) => {
      assertKeyPrefix(prefix);
      return listFiles(root, prefix);
    },
    localPath: pathOf,
    sweep: ({ olderThanMs }) => sweepStaging(stagingFolder, olderThanMs),
    probe: async () => {
      const staged = stage();
      await staged.write(Buffer.from('probe'));
      await staged.sync();
      await staged.discard();
    },
  };
}

async function putStaged(
  staged: StagedFile,
  key: string,
  data: Buffer | AsyncIterable<Buffer>,
): Promise<{ size: number }> {
  try {
    assertStorageKey(key);
    if (Buffer.isBuffer(data)) await staged.write(data);
    else for await (const chunk of data) await staged.write(chunk);
    await staged.commit(key);
    return { size: staged.size };
  } finally {
    await staged.discard();
  }
}

async function moveDurably(
  from: string,
  to: string,
  folders: DurableFolders,
  syncFolder: SyncFolder,
): Promise<void> {
  const folder = dirname(to);
  try {
    await folders.ensure(folder);
    await rename(from, to);
  } catch (error) {
    if (!isAbsent(error)) throw error;
    // A remembered folder was removed behind our back.
    folders.forget(folder);
    await folders.ensure(folder);
    await rename(from, to);
  }
  failpoint('storage:renamed');
  await syncFolder(folder);
}

async function removeDurably(path: string, syncFolder: SyncFolder): Promise<void> {
  try {
    await unlink(path).catch((error: unknown) => {
      // Absent is synced too: another caller may have removed it a moment ago, not yet durably. EISDIR: a folder is no key.
      if (systemCode(error) !== 'ENOENT' && systemCode(error) !== 'EISDIR') throw error;
    });
    await syncFolder(dirname(path));
  } catch (error) {
    if (!isAbsent(error)) throw storageError(error);
  }
}
