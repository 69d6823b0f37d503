// Reads the rows of a table in the order of their keys, a page at a time, so that a reader may stop and go on later.
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../platform/database/database.ts';
import type { StatementValue } from '../../platform/database/statement.ts';
import { keyOf, type Row, type TableShape } from './table-shape.ts';

/** Databases limit how many values one statement may have. */
const maxValues = 16_000;
const maxRows = 500;
/** Comparisons joined by `or` in one statement. */
const maxKeys = 200;

export type RowKey = readonly StatementValue[];

export function rowsPerStatement({ columns }: TableShape): number {
  return Math.max(1, Math.min(maxRows, Math.floor(maxValues / columns.length)));
}

/** Beginning after a key where one is given. */
export async function* pagesOf(
  read: Kysely<Tables>,
  shape: TableShape,
  after: RowKey | null = null,
): AsyncGenerator<Row[]> {
  const limit = rowsPerStatement(shape);
  for (let last = after; ;) {
    const page = await readPage(read, shape, last, limit);
    const lastRow = page.at(-1);
    if (!lastRow) return;
    yield page;
    if (page.length < limit) return;
    last = keyOf(shape, lastRow);
  }
}

async function readPage(
  read: Kysely<Tables>,
  { name, columns, key }: TableShape,
  after: RowKey | null,
  limit: number,
): Promise<Row[]> {
  const keys = sql.join(key.map((column) => sql.ref(column)));
  const beyond = after === null ? sql`` : sql`where (${keys}) > (${sql.join([...after])})`;
  const { rows } = await sql<Row>`select ${sql.join(columns.map((column) => sql.ref(column)))}
    from ${sql.table(name)} ${beyond} order by ${keys} limit ${sql.lit(limit)}`.execute(read);
  return rows.map(withoutNul);
}

export async function findRows(
  read: Kysely<Tables>,
  shape: TableShape,
  keys: readonly RowKey[],
): Promise<Row[]> {
  const found: Row[] = [];
  for (const group of inGroups(keys, maxKeys)) {
    const { rows } = await sql<Row>`select ${sql.join(shape.columns.map((column) => sql.ref(column)))}
      from ${sql.table(shape.name)} where ${anyOf(shape, group)}`.execute(read);
    found.push(...rows.map(withoutNul));
  }
  return found;
}

/** True for the rows that have one of these keys. */
export function anyOf({ key }: TableShape, keys: readonly RowKey[]) {
  const isKey = (values: RowKey) =>
    sql`(${sql.join(
      key.map((column, at) => sql`${sql.ref(column)} = ${values[at]}`),
      sql` and `,
    )})`;
  return sql.join(keys.map(isKey), sql` or `);
}

export function* inGroups<T>(all: readonly T[], size = maxKeys): Generator<T[]> {
  for (let start = 0; start < all.length; start += size) yield all.slice(start, start + size);
}

/** PostgreSQL has no such character in texts, and it means nothing in any of ours. */
function withoutNul(row: Row): Row {
  for (const [column, value] of Object.entries(row))
    if (typeof value === 'string' && value.includes('\0')) row[column] = value.replaceAll('\0', '\uFFFD');
  return row;
}
