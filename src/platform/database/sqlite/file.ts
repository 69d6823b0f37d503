// What is done to a SQLite file as a whole: look into it without changing it, check it, make one self-contained file of
// it and its log, and put it in the place of another.
import { existsSync } from 'node:fs';
import { link, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import Sqlite from 'better-sqlite3';
import { Kysely } from 'kysely';
import { AppError } from '../../errors.ts';
import type { Tables } from '../database.ts';
import { openSqliteConnection } from './connection.ts';
import { sqliteDialect } from './dialect.ts';

const companions = ['-wal', '-shm'];

export function openSqliteReader(file: string): { read: Kysely<Tables> } & Disposable {
  const connection = openSqliteConnection(file, { readonly: true });
  const dialect = sqliteDialect((sql, parameters) => connection.run(sql, parameters));
  return { read: new Kysely<Tables>({ dialect }), [Symbol.dispose]: () => connection.close() };
}

/** What is wrong with it; nothing when it is sound. Works beside a server that writes. */
export function faultsOfSqliteFile(file: string): string[] {
  let sqlite: Sqlite.Database | null = null;
  try {
    sqlite = new Sqlite(file, { readonly: true, fileMustExist: true, timeout: 5000 });
    const checked = sqlite.pragma('quick_check') as { quick_check: string }[];
    const faults = checked.map((row) => row.quick_check).filter((text) => text !== 'ok');
    const dangling = sqlite.pragma('foreign_key_check') as { table: string }[];
    return [...faults, ...dangling.map(({ table }) => `a row of ${table} refers to nothing`)];
  } catch (error) {
    return [(error as Error).message];
  } finally {
    sqlite?.close();
  }
}

/** Takes its log into the file itself. Fails while anyone else has it open, which also proves that nobody has. */
export function sealSqliteFile(file: string): void {
  const sqlite = new Sqlite(file, { fileMustExist: true, timeout: 2000 });
  try {
    sqlite.pragma('journal_mode = DELETE');
  } catch (error) {
    if (!String((error as { code?: string }).code).startsWith('SQLITE_BUSY')) throw error;
    throw new AppError(
      'conflict',
      `${file} is in use by another tintype command; try again when that has ended`,
    );
  } finally {
    sqlite.close();
  }
}

export async function removeSqliteFile(file: string): Promise<void> {
  for (const suffix of ['', ...companions]) await rm(file + suffix, { force: true });
}

/**
 * Puts the sealed file `by` in the place of `file`, which is kept as `aside`. There is no moment at which a crash would
 * leave neither, and the old one's log never lies beside the new one.
 */
export async function replaceSqliteFile(options: { file: string; by: string; aside: string }): Promise<void> {
  const { file, by, aside } = options;
  {
    await using handle = await open(by, 'r');
    await handle.sync();
  }
  if (existsSync(file)) sealUnlessDamaged(file);
  for (const suffix of companions) {
    if (existsSync(file + suffix)) await rename(file + suffix, aside + suffix);
  }
  // Not every file system has hard links.
  if (existsSync(file)) await link(file, aside).catch(() => rename(file, aside));
  await rename(by, file);
  await using folder = await open(dirname(file), 'r');
  await folder.sync();
}

function sealUnlessDamaged(file: string): void {
  try {
    sealSqliteFile(file);
  } catch (error) {
    if (error instanceof AppError) throw error;
  }
}
