// Which rows of a SQLite file were changed while it is being copied: triggers note their keys, whoever writes. And the
// fence, at the end: triggers that refuse every further change, so that nothing can be written to what was copied.
import { randomHex } from '../../platform/random.ts';
import { type Kysely, sql } from 'kysely';
import type { Database, Tables, Tx } from '../../platform/database/database.ts';
import type { RowKey } from '../rows/row-pages.ts';
import type { TableShape } from '../rows/table-shape.ts';

/** Pictures' vectors are noted by their object, because that is how they travel. */
export const vectorsTable: TableShape = { name: 'vectors', columns: ['generation'], key: ['generation'] };

export type NotedChange = { readonly table: string; readonly key: RowKey; readonly version: number };

const operations = { insert: ['new'], update: ['old', 'new'], delete: ['old'] } as const;
const sourceIdBytes = 12;
const forgottenAtOnce = 200;

/** The name of this file among all that could be copied; made when the first notes are taken. */
export async function beginNotes(database: Database, tables: readonly TableShape[]): Promise<string> {
  return database.write(async (tx) => {
    await sql`create table if not exists migration_changes (table_name text not null, key text not null,
      version bigint not null, primary key (table_name, key))`.execute(tx);
    await sql`create table if not exists migration_source (id text primary key, fenced bigint not null)`.execute(
      tx,
    );
    for (const table of [...tables, vectorsTable])
      for (const operation of keysOf(operations)) await noteOperation(tx, table, operation);
    await sql`insert into migration_source (id, fenced)
      select ${randomHex(sourceIdBytes)}, 0 where not exists (select 1 from migration_source)`.execute(tx);
    const { rows } = await sql<{ id: string }>`select id from migration_source`.execute(tx);
    return (rows[0] as { id: string }).id;
  });
}

async function noteOperation(tx: Tx, { name, key }: TableShape, operation: keyof typeof operations) {
  const notes = operations[operation].map((which) => {
    const values = key.map((column) => sql`${sql.raw(which)}.${sql.ref(column)}`);
    return sql`insert into migration_changes (table_name, key, version)
      values (${sql.lit(name)}, json_array(${sql.join(values)}), 1)
      on conflict (table_name, key) do update set version = version + 1;`;
  });
  await sql`create trigger if not exists ${sql.ref(`migration_notes_${name}_${operation}`)}
    after ${sql.raw(operation)} on ${sql.table(name)} begin ${sql.join(notes, sql` `)} end`.execute(tx);
}

export async function readNotes(read: Kysely<Tables>): Promise<NotedChange[]> {
  const { rows } = await sql<{ table_name: string; key: string; version: number }>`
    select table_name, key, version from migration_changes`.execute(read);
  return rows.map(({ table_name: table, key, version }) => ({
    table,
    key: JSON.parse(key) as RowKey,
    version,
  }));
}

/** Those that were noted again meanwhile stay. */
export async function forgetNotes(database: Database, notes: readonly NotedChange[]): Promise<void> {
  for (let start = 0; start < notes.length; start += forgottenAtOnce) {
    await database.write(async (tx) => {
      for (const { table, key, version } of notes.slice(start, start + forgottenAtOnce))
        await sql`delete from migration_changes where table_name = ${table} and key = ${JSON.stringify(key)}
          and version = ${version}`.execute(tx);
    });
  }
}

/** From here on nothing can be changed. False, and no fence, when something was changed that is not copied yet. */
export async function raiseFence(database: Database, tables: readonly TableShape[]): Promise<boolean> {
  return database.write(async (tx) => {
    const { rows } = await sql`select 1 from migration_changes limit 1`.execute(tx);
    if (rows.length > 0) return false;
    for (const { name } of [...tables, vectorsTable])
      for (const operation of keysOf(operations))
        await sql`create trigger if not exists ${sql.ref(`migration_fence_${name}_${operation}`)}
          before ${sql.raw(operation)} on ${sql.table(name)}
          begin select raise(abort, 'This database was moved to another'); end`.execute(tx);
    await sql`update migration_source set fenced = 1`.execute(tx);
    return true;
  });
}

export async function lowerFence(database: Database): Promise<void> {
  await database.write(async (tx) => {
    await dropTriggers(tx, 'migration_fence_');
    await sql`update migration_source set fenced = 0`.execute(tx);
  });
}

async function dropTriggers(tx: Tx, prefix: string): Promise<void> {
  const { rows } = await sql<{ name: string }>`select name from sqlite_master where type = 'trigger'`.execute(
    tx,
  );
  for (const { name } of rows.filter((trigger) => trigger.name.startsWith(prefix)))
    await sql`drop trigger ${sql.ref(name)}`.execute(tx);
}

/** Back to before the first note. */
export async function endNotes(database: Database): Promise<void> {
  await database.write(async (tx) => {
    await dropTriggers(tx, 'migration_');
    await sql`drop table if exists migration_changes`.execute(tx);
    await sql`drop table if exists migration_source`.execute(tx);
  });
}

function keysOf<T extends object>(record: T): (keyof T & string)[] {
  return Object.keys(record) as (keyof T & string)[];
}
