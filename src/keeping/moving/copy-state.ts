// How far a database is that is being filled from another or from a backup, kept in that database itself: so the work goes
// on where it stopped, and nobody serves what is not whole.
import { type Kysely, sql } from 'kysely';
import { AppError, OperatorError } from '../../platform/errors.ts';
import type { Database, Tables, Tx } from '../../platform/database/database.ts';
import { engineOf } from '../../platform/database/locking-rows.ts';
import type { RowKey } from '../rows/row-pages.ts';

export type CopyState = {
  /** What it is filled from: the id of a SQLite file, or of a backup. */
  readonly from: string;
  /** What to run to go on. */
  readonly by: string;
  readonly complete: boolean;
  /** The last key that is there, by table; `done` for whole tables. */
  readonly reached: Readonly<Record<string, RowKey | 'done'>>;
};

const name = 'copy';

/** Null in a database that was never filled in this way. */
export async function readCopyState(read: Kysely<Tables>): Promise<CopyState | null> {
  const known =
    engineOf(read) === 'postgres'
      ? sql`select 1 where to_regclass('migration_state') is not null`
      : sql`select 1 from sqlite_master where name = 'migration_state'`;
  if ((await known.execute(read)).rows.length === 0) return null;
  const { rows } = await sql<{
    value: string;
  }>`select value from migration_state where name = ${name}`.execute(read);
  return rows[0] ? (JSON.parse(rows[0].value) as CopyState) : null;
}

/** In the transaction of the rows it tells of. */
export async function writeCopyState(tx: Tx, state: CopyState): Promise<void> {
  await sql`insert into migration_state (name, value) values (${name}, ${JSON.stringify(state)})
    on conflict (name) do update set value = excluded.value`.execute(tx);
}

/** As if nobody had begun to fill it. */
export async function forgetCopyState(tx: Tx): Promise<void> {
  await sql`delete from migration_state where name = ${name}`.execute(tx);
}

/** For everyone who opens a database: it must not be one that is only half there. */
export async function refuseHalfCopied({ read }: Pick<Database, 'read'>): Promise<void> {
  const state = await readCopyState(read);
  if (!state || state.complete) return;
  throw new OperatorError(
    `This database is not complete: it was being filled, and that was not finished. Go on with: ${state.by}`,
  );
}

/** Takes an empty database for this copy, or one that the same copy has begun; before its tables are made. */
export async function claimForCopy(
  target: Database,
  { from, by }: Pick<CopyState, 'from' | 'by'>,
): Promise<CopyState> {
  const known = await readCopyState(target.read);
  if (known?.from === from) return known;
  if (known && !known.complete)
    throw new AppError(
      'conflict',
      `The target holds an unfinished copy of something else (${known.by}); give an empty one`,
    );
  if (known || (await hasAccounts(target.read)))
    throw new AppError('conflict', 'The target is not empty: it has accounts. Give an empty one');
  const state: CopyState = { from, by, complete: false, reached: {} };
  await target.write(async (tx) => {
    await sql`create table if not exists migration_state (name text primary key, value text not null)`.execute(
      tx,
    );
    await writeCopyState(tx, state);
  });
  return state;
}

async function hasAccounts(read: Kysely<Tables>): Promise<boolean> {
  const tables = await read.introspection.getTables();
  if (!tables.some((table) => table.name === 'accounts')) return false;
  return (await read.selectFrom('accounts').select('account_id').limit(1).execute()).length > 0;
}
