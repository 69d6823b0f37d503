// A SQLite file whose rows were moved elsewhere is set aside under a name that says so; nobody goes on with it by mistake.
import { existsSync, readdirSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../platform/database/database.ts';
import { sealSqliteFile } from '../../platform/database/sqlite/file.ts';
import { OperatorError } from '../../platform/errors.ts';

const movedMark = '.moved-';

/** Before a file is opened or made: throws when the one that was there has been moved. */
export function refuseMovedFile(file: string): void {
  if (existsSync(file) || !existsSync(dirname(file))) return;
  const moved = readdirSync(dirname(file)).find((name) => name.startsWith(basename(file) + movedMark));
  if (!moved) return;
  throw new OperatorError(
    `The database of this data folder was moved to another (what is left is ${join(dirname(file), moved)}). Set DATABASE_URL to where it is now; to go back to the old state, stop everything and rename the file to ${basename(file)}.`,
  );
}

/** The same for one that was fenced off, but not set aside yet. */
export async function refuseFenced(read: Kysely<Tables>): Promise<void> {
  const known = await sql`select 1 from sqlite_master where name = 'migration_source'`.execute(read);
  if (known.rows.length === 0) return;
  const fenced = await sql`select 1 from migration_source where fenced = 1`.execute(read);
  if (fenced.rows.length === 0) return;
  throw new OperatorError(
    'This database is being moved, and that was not finished. Run "tintype migrate --database" again to finish it, or "tintype migrate --abandon" to stay with SQLite.',
  );
}

/** Its log is in it then, and nobody else has it open. */
export async function setAside(file: string, now = new Date()): Promise<string> {
  sealSqliteFile(file);
  const aside = `${file}${movedMark}${now.toISOString().replaceAll(/[:.]/g, '-')}`;
  await rename(file, aside);
  return aside;
}
