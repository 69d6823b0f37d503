// Stores objects as files in a folder. A new file is written at its key: bytes, then fsync of the file and of the folder,
// and only then does the caller hear of success. What may replace something is written beside it first: bytes, fsync of
// the file, rename to the key, fsync of the folder. Emptied folders stay: removing one could take its name from under a
// commit that has just made it durable, and there is at most one per bucket and quarter of an hour.

import { mkdir, rename, rm, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { failpoint } from '../failpoints.ts';
import { openNewFile } from './descriptors.ts';
import { createDurableFolders, type DurableFolders } from './durable-folders.ts';
import { createFolderSync, type SyncFolder } from './folder-sync.ts';
import { GatheringWriter, type OpenFile } from './gathering-writer.ts';
import { fileFacts, listFiles } from './list-files.ts';
import { makeRoot } from './make-root.ts';
import { NewDiskFile } from './new-file.ts';
import { readFileRange } from './read-file-range.ts';
import { claimStagingPath, releaseStagingPath, sweepStaging } from './staging-files.ts';
import { isAbsent, storageError, systemCode } from './storage-error.ts';
import { assertFolderKey, assertKeyPrefix, assertStorageKey } from './storage-key.ts';
import type { Storage } from './storage.ts';

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

  /** Lets a file be written aside. It is gone when that fails; otherwise who wrote it has moved or removed it. */
  async function aside<T>(use: (writer: GatheringWriter) => Promise<T>): Promise<T> {
    const writer = new GatheringWriter(claimStagingPath(stagingFolder), openStaged);
    try {
      return await use(writer);
    } catch (error) {
      await unlink(writer.path).catch(() => undefined);
      // What a source threw is the caller's own.
      throw systemCode(error) === undefined ? error : storageError(error);
    } finally {
      writer.close();
      // Also when it could not be removed: no longer in use, it falls to the next sweep.
      releaseStagingPath(writer.path);
    }
  }

  return {
    create: async (key) =>
      new NewDiskFile(
        pathOf(key),
        (path, how) => inFolderOf(path, folders, () => openNewFile(path, how)),
        syncFolder,
      ),
    put: async (key, data) => {
      const path = pathOf(key);
      return aside(async (writer) => {
        await writeAll(writer, data);
        await writer.sync();
        failpoint('storage:synced');
        await inFolderOf(path, folders, () => rename(writer.path, path));
        failpoint('storage:renamed');
        await syncFolder(dirname(path));
        return { size: writer.size };
      });
    },
    get: async (key, range) => readFileRange(pathOf(key), range),
    head: async (key) => fileFacts(pathOf(key)),
    delete: async (key) => removeDurably(pathOf(key), syncFolder),
    deleteFolder: async (prefix) => {
      assertFolderKey(prefix);
      const path = join(root, prefix.slice(0, -1));
      await removeFolderDurably(path, syncFolder);
      folders.forgetBelow(path);
    },
    list: (prefix, options) => {
      assertKeyPrefix(prefix);
      return listFiles(root, prefix, options);
    },
    localCopy: async (key) => ({
      path: pathOf(key),
      release: () => undefined,
      [Symbol.dispose]: () => undefined,
    }),
    pathOnDisk: pathOf,
    sweep: ({ olderThanMs }) => sweepStaging(stagingFolder, olderThanMs),
    probe: () =>
      aside(async (writer) => {
        await writer.write(Buffer.from('probe'));
        await writer.sync();
        await unlink(writer.path).catch(() => undefined);
      }),
  };
}

async function writeAll(writer: GatheringWriter, data: Buffer | AsyncIterable<Buffer>): Promise<void> {
  if (Buffer.isBuffer(data)) await writer.write(data);
  else for await (const chunk of data) await writer.write(chunk);
}

async function inFolderOf<T>(path: string, folders: DurableFolders, action: () => Promise<T>): Promise<T> {
  const folder = dirname(path);
  try {
    await folders.ensure(folder);
    return await action();
  } catch (error) {
    if (!isAbsent(error)) throw error;
    // A remembered folder was removed behind our back.
    folders.forget(folder);
    await folders.ensure(folder);
    return action();
  }
}

const openStaged: OpenFile = async (path, how) => {
  try {
    return await openNewFile(path, how);
  } catch (error) {
    if (!isAbsent(error)) throw error;
    await mkdir(dirname(path), { mode: 0o700 }).catch(() => undefined);
    return openNewFile(path, how);
  }
};

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

async function removeFolderDurably(path: string, syncFolder: SyncFolder): Promise<void> {
  try {
    // Somebody may add a file while it is being emptied.
    await rm(path, { recursive: true, force: true, maxRetries: 3 });
    await syncFolder(dirname(path));
  } catch (error) {
    if (!isAbsent(error)) throw storageError(error);
  }
}
