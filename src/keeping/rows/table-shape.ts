// What the tables of a database look like, asked of the database itself: so a table that a feature adds tomorrow is moved,
// backed up and restored without a word here. The one place that knows how each engine tells.
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../platform/database/database.ts';
import { engineOf } from '../../platform/database/locking-rows.ts';
import type { StatementValue } from '../../platform/database/statement.ts';

export type Row = Record<string, StatementValue>;

export type TableShape = {
  readonly name: string;
  readonly columns: readonly string[];
  /** Columns of the primary key, in its order. */
  readonly key: readonly string[];
};
type Described = TableShape & { readonly references: readonly string[] };

/** What each database makes for itself or forgets soon: its history, announcements, counters of the last minutes, and what pictures are found by (see pictures.ts). */
const ownToDatabase =
  /^(announcements|service_facts|flights|variant_budgets|request_rates|migrations|migration_\w+|vectors|vector_graphs|words|word_accounts|words_index\w*|picture_(vectors|words)\w*|sqlite_\w+)$/;

/** All tables whose rows are the same in every database, each after those it refers to. */
export async function describeTables(read: Kysely<Tables>): Promise<TableShape[]> {
  const described = engineOf(read) === 'postgres' ? await describePostgres(read) : await describeSqlite(read);
  return inOrderOfReference(described.filter(({ name }) => !ownToDatabase.test(name)));
}

export function keyOf({ key }: TableShape, row: Row): StatementValue[] {
  return key.map((column) => row[column] as StatementValue);
}

async function describeSqlite(read: Kysely<Tables>): Promise<Described[]> {
  const tables = await sql<{ name: string }>`select name from sqlite_master where type = 'table'`.execute(
    read,
  );
  const described = tables.rows.map(async ({ name }) => {
    const columns = await sql<{ name: string; pk: number }>`
      select name, pk from pragma_table_info(${name}) order by cid`.execute(read);
    const references = await sql<{ table: string }>`
      select "table" from pragma_foreign_key_list(${name})`.execute(read);
    const key = columns.rows.filter(({ pk }) => pk > 0).sort((left, right) => left.pk - right.pk);
    return {
      name,
      columns: columns.rows.map((column) => column.name),
      key: key.map((column) => column.name),
      references: references.rows.map(({ table }) => table),
    };
  });
  return Promise.all(described);
}

async function describePostgres(read: Kysely<Tables>): Promise<Described[]> {
  const columns = await sql<{ table: string; column: string }>`
    select c.table_name as "table", c.column_name as "column"
      from information_schema.columns c
      join information_schema.tables t on t.table_schema = c.table_schema and t.table_name = c.table_name
      where c.table_schema = current_schema() and t.table_type = 'BASE TABLE'
      order by c.table_name, c.ordinal_position`.execute(read);
  const keys = await sql<{ table: string; column: string }>`
    select t.relname as "table", a.attname as "column"
      from pg_index i
      join pg_class t on t.oid = i.indrelid
      join pg_namespace n on n.oid = t.relnamespace and n.nspname = current_schema()
      join pg_attribute a on a.attrelid = t.oid and a.attnum = any (i.indkey)
      where i.indisprimary order by t.relname, array_position(i.indkey::int2[], a.attnum)`.execute(read);
  const references = await sql<{ table: string; target: string }>`
    select t.relname as "table", r.relname as target
      from pg_constraint c
      join pg_class t on t.oid = c.conrelid
      join pg_class r on r.oid = c.confrelid
      join pg_namespace n on n.oid = t.relnamespace and n.nspname = current_schema()
      where c.contype = 'f'`.execute(read);
  return [...Map.groupBy(columns.rows, ({ table }) => table)].map(([name, found]) => ({
    name,
    columns: found.map(({ column }) => column),
    key: keys.rows.filter(({ table }) => table === name).map(({ column }) => column),
    references: references.rows.filter(({ table }) => table === name).map(({ target }) => target),
  }));
}

function inOrderOfReference(tables: readonly Described[]): TableShape[] {
  const ordered: TableShape[] = [];
  let left = tables.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  while (left.length > 0) {
    const waiting = new Set(left.map(({ name }) => name));
    const free = left.filter(({ name, references }) =>
      references.every((target) => target === name || !waiting.has(target)),
    );
    if (free.length === 0) throw new Error(`Tables refer to each other in a circle: ${[...waiting].join()}`);
    ordered.push(...free.map(({ name, columns, key }) => ({ name, columns, key })));
    left = left.filter((table) => !free.includes(table));
  }
  return ordered;
}
