// Two nodes of one service in this process: each with a data folder of its own, on one database and the same two stores.
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Stores } from '../../src/objects/stores.ts';
import { openSqliteDatabase } from '../../src/platform/database/sqlite/sqlite-database.ts';
import { startServer, type TestServer } from './server.ts';
import { openTempStores } from './temp-stores.ts';
import { databaseOfFolder, dropDatabaseOfFolder, testDatabase } from './test-database.ts';

export type TwoNodes = {
  first: TestServer;
  /** Runs no jobs, so that it makes nothing of its own accord. */
  second: TestServer;
  stores: Stores;
  /** Of a public address: the same on the other node. */
  on: (node: TestServer, address: string) => string;
  [Symbol.asyncDispose](): Promise<void>;
};

export async function startTwoNodes(environment: Record<string, string> = {}): Promise<TwoNodes> {
  const folder = await mkdtemp(join(tmpdir(), 'tintype-nodes-'));
  const file = join(folder, 'shared.db');
  const shared = await databaseOfFolder(folder);
  const settings = {
    FILES_STORE: `file:${join(folder, 'files')}`,
    STORAGE_STORE: `file:${join(folder, 'storage')}`,
    SECRET_KEY: 'one-key-for-both-of-the-nodes',
    ...shared.environment,
    ...environment,
  };
  async function start(name: string, runJobs: boolean): Promise<TestServer> {
    const dataDir = join(folder, name);
    await mkdir(dataDir);
    // The index of vectors opens the database of its data folder.
    await symlink(file, join(dataDir, 'tintype.db'));
    return startServer(settings, {
      dataDir,
      runJobs,
      ...(testDatabase === 'sqlite'
        ? { openDatabase: async (_config, neighbours) => openSqliteDatabase(file, neighbours) }
        : shared.openDatabase
          ? { openDatabase: shared.openDatabase }
          : {}),
    });
  }
  const first = await start('first', true);
  const second = await start('second', false);
  return {
    first,
    second,
    stores: openTempStores(folder),
    on: (node, address) => node.url + new URL(address).pathname,
    async [Symbol.asyncDispose]() {
      await first.stop();
      await second.stop();
      await dropDatabaseOfFolder(folder);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
