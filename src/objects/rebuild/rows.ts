// Turns what a manifest holds into rows of this version's tables: a manifest may be damaged, older than a column or newer
// than this program, and none of that may spoil the new database.
import type { ColumnMetadata } from 'kysely';
import type { Account, Key } from '../../accounts/tables.ts';
import type { Webhook } from '../../events/tables.ts';
import type { Database } from '../../platform/database/database.ts';
import { DamagedManifest } from './report.ts';
import type { ObjectRow } from '../tables.ts';

/** Throws DamagedManifest. */
export type ReadRow<Row> = (value: unknown) => Row;
export type RowReaders = {
  account: ReadRow<Account>;
  key: ReadRow<Key>;
  webhook: ReadRow<Webhook>;
  object: ReadRow<ObjectRow>;
  /** `table.field` of all that this version does not know. */
  unknownFields: ReadonlySet<string>;
};

export async function createRowReaders(database: Database): Promise<RowReaders> {
  const tables = await database.read.introspection.getTables();
  const unknownFields = new Set<string>();
  const readerOf = <Row>(name: string): ReadRow<Row> => {
    const columns = tables.find((table) => table.name === name)?.columns ?? [];
    return (value) => readRow(name, columns, value, unknownFields) as Row;
  };
  const object = readerOf<ObjectRow>('objects');
  return {
    account: readerOf<Account>('accounts'),
    key: readerOf<Key>('keys'),
    webhook: readerOf<Webhook>('webhooks'),
    object: (value) => withListOfTags(object(value)),
    unknownFields,
  };
}

function readRow(
  table: string,
  columns: readonly ColumnMetadata[],
  value: unknown,
  unknownFields: Set<string>,
): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw new DamagedManifest('has no row');
  const given = new Map(Object.entries(value));
  const row: Record<string, unknown> = {};
  for (const column of columns) {
    const field = given.get(column.name);
    given.delete(column.name);
    // Not there when the manifest was written: the column's default holds.
    if (field === undefined && column.hasDefaultValue) continue;
    if (!fits(column, field ?? null)) throw new DamagedManifest(`has no valid "${column.name}"`);
    row[column.name] = field ?? null;
  }
  for (const name of given.keys()) unknownFields.add(`${table}.${name}`);
  return row;
}

function fits(column: ColumnMetadata, value: unknown): boolean {
  if (value === null) return column.isNullable;
  const type = column.dataType.toLowerCase();
  if (type === 'text') return typeof value === 'string';
  if (type === 'bigint') return Number.isSafeInteger(value);
  if (type === 'double precision') return Number.isFinite(value);
  return true;
}

function withListOfTags(object: ObjectRow): ObjectRow {
  try {
    const tags: unknown = JSON.parse(object.tags);
    if (Array.isArray(tags) && tags.every((tag) => typeof tag === 'string')) return object;
  } catch {
    // The same fault as a list of something else.
  }
  throw new DamagedManifest('has no valid "tags"');
}
