// Puts rows into a table as they are, in the place of those with the same key.
import { sql } from 'kysely';
import type { Tx } from '../../platform/database/database.ts';
import { anyOf, inGroups, type RowKey, rowsPerStatement } from './row-pages.ts';
import type { Row, TableShape } from './table-shape.ts';

export async function upsertRows(tx: Tx, shape: TableShape, rows: readonly Row[]): Promise<void> {
  const { name, columns, key } = shape;
  const others = columns.filter((column) => !key.includes(column));
  const replacement = others.map((column) => sql`${sql.ref(column)} = excluded.${sql.ref(column)}`);
  const onConflict = others.length === 0 ? sql`do nothing` : sql`do update set ${sql.join(replacement)}`;
  for (const group of inGroups(rows, rowsPerStatement(shape))) {
    const values = group.map((row) => sql`(${sql.join(columns.map((column) => row[column] ?? null))})`);
    await sql`insert into ${sql.table(name)} (${sql.join(columns.map((column) => sql.ref(column)))})
      values ${sql.join(values)}
      on conflict (${sql.join(key.map((column) => sql.ref(column)))}) ${onConflict}`.execute(tx);
  }
}

export async function deleteRows(tx: Tx, shape: TableShape, keys: readonly RowKey[]): Promise<void> {
  for (const group of inGroups(keys))
    await sql`delete from ${sql.table(shape.name)} where ${anyOf(shape, group)}`.execute(tx);
}
