// One server per data folder. The lock is the operating system's, through SQLite, so it goes with the process however
// that ends; a small file beside it names the holder to whoever comes second.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { OperatorError } from '../errors.ts';
import { makeFolder } from '../make-folder.ts';

export type LockHolder = { pid: number; started_at: string; address: string };

export class DataDirLocked extends OperatorError {}

const holderFileIn = (dataDir: string): string => join(dataDir, 'server.json');
const lockFileIn = (dataDir: string): string => join(dataDir, 'server.lock');

export function lockDataDir(dataDir: string, address: string): { release(): void } {
  makeFolder(dataDir);
  const holderFile = holderFileIn(dataDir);
  const lock = new Sqlite(lockFileIn(dataDir), { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if ((error as { code?: string }).code !== 'SQLITE_BUSY') throw error;
    throw new DataDirLocked(
      `${dataDir} is in use by another Tintype server: ${describe(holderFile)}. Stop it, or choose another DATA_DIR.`,
    );
  }
  const holder: LockHolder = { pid: process.pid, started_at: new Date().toISOString(), address };
  writeFileSync(holderFile, `${JSON.stringify(holder)}\n`, { mode: 0o600 });
  return {
    release() {
      rmSync(holderFile, { force: true });
      lock.close();
    },
  };
}

/** Who has the folder, in words; null when nobody does. */
export function lockHolder(dataDir: string): string | null {
  if (!existsSync(lockFileIn(dataDir))) return null;
  const probe = new Sqlite(lockFileIn(dataDir), { readonly: true, timeout: 0 });
  try {
    probe.prepare('select count(*) from sqlite_master').get();
    return null;
  } catch (error) {
    if ((error as { code?: string }).code !== 'SQLITE_BUSY') throw error;
    return describe(holderFileIn(dataDir));
  } finally {
    probe.close();
  }
}

function describe(holderFile: string): string {
  try {
    const {
      pid,
      started_at: startedAt,
      address,
    } = JSON.parse(readFileSync(holderFile, 'utf8')) as LockHolder;
    return `process ${pid} at ${address}, started ${startedAt}`;
  } catch {
    return 'a process that has not written its name yet';
  }
}
