// Compares a database with one made from the manifests, to tell before it is needed whether the manifests can be trusted.
import type { Kysely } from 'kysely';
import type { Tables } from '../../platform/database/database.ts';

export type TableDifferences = {
  table: string;
  /** Would be lost. */
  onlyInDatabase: string[];
  /** Would come back. */
  onlyInManifests: string[];
  different: { id: string; columns: string[] }[];
};
type Row = Record<string, unknown>;
type Compared = {
  table: 'accounts' | 'keys' | 'objects' | 'webhooks';
  id: string;
  ignored: ReadonlySet<string>;
};

const pageSize = 2000;
/** What no manifest needs to be rewritten for is left out of the comparison. */
const compared: Compared[] = [
  { table: 'accounts', id: 'account_id', ignored: new Set(['next_seq', 'storage_warned']) },
  { table: 'keys', id: 'key_id', ignored: new Set(['last_used_at']) },
  { table: 'objects', id: 'generation', ignored: new Set() },
  { table: 'webhooks', id: 'webhook_id', ignored: new Set() },
];

export async function compareDatabases(
  current: Kysely<Tables>,
  rebuilt: Kysely<Tables>,
): Promise<TableDifferences[]> {
  const found: TableDifferences[] = [];
  for (const one of compared) found.push(await compareTable(one, current, rebuilt));
  return found;
}

export function areEqual(differences: readonly TableDifferences[]): boolean {
  return differences.every(
    (one) => one.onlyInDatabase.length + one.onlyInManifests.length + one.different.length === 0,
  );
}

async function compareTable(
  { table, id, ignored }: Compared,
  current: Kysely<Tables>,
  rebuilt: Kysely<Tables>,
): Promise<TableDifferences> {
  const differences: TableDifferences = { table, onlyInDatabase: [], onlyInManifests: [], different: [] };
  const ours = rowsById(current, table, id);
  const theirs = rowsById(rebuilt, table, id);
  let [left, right] = [await ours.next(), await theirs.next()];
  while (!left.done || !right.done) {
    const leftId = left.done ? null : String(left.value[id]);
    const rightId = right.done ? null : String(right.value[id]);
    if (rightId === null || (leftId !== null && leftId < rightId)) {
      differences.onlyInDatabase.push(leftId as string);
      left = await ours.next();
    } else if (leftId === null || rightId < leftId) {
      differences.onlyInManifests.push(rightId);
      right = await theirs.next();
    } else {
      const columns = differingColumns(left.value as Row, right.value as Row, ignored);
      if (columns.length > 0) differences.different.push({ id: leftId, columns });
      [left, right] = [await ours.next(), await theirs.next()];
    }
  }
  return differences;
}

function differingColumns(left: Row, right: Row, ignored: ReadonlySet<string>): string[] {
  return Object.keys({ ...left, ...right }).filter(
    (column) => !ignored.has(column) && left[column] !== right[column],
  );
}

async function* rowsById(read: Kysely<Tables>, table: Compared['table'], id: string): AsyncGenerator<Row> {
  // The column depends on the table, which the builder's types cannot follow.
  const idColumn = read.dynamic.ref(id);
  for (let after = ''; ;) {
    const page = (await read
      .selectFrom(table)
      .selectAll()
      .where(idColumn, '>', after)
      .orderBy(idColumn)
      .limit(pageSize)
      .execute()) as Row[];
    yield* page;
    const last = page.at(-1);
    if (!last) return;
    after = String(last[id]);
  }
}
