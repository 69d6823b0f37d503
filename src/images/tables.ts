// What the nodes of a service share while they make variants: who makes which, and how many more may be made. Used only
// where the database is shared.
import { type CreateTableBuilder, sql } from 'kysely';
import type { Migration, Tx } from '../platform/database/database.ts';
import { engineOf } from '../platform/database/locking-rows.ts';

export type FlightTable = { name: string; owner: string; until: number };
/** What was left at a time; it has refilled since. */
export type VariantBudgetTable = { name: string; unspent: number; at: number };

declare module '../platform/database/database.ts' {
  interface Tables {
    flights: FlightTable;
    variant_budgets: VariantBudgetTable;
  }
}

export const imageMigrations: Migration[] = [
  {
    name: '0013-flights',
    async up(tx) {
      await fleetingTable(tx, 'flights')
        .addColumn('name', 'text', (column) => column.primaryKey())
        .addColumn('owner', 'text', (column) => column.notNull())
        .addColumn('until', 'bigint', (column) => column.notNull())
        .execute();
      await fleetingTable(tx, 'variant_budgets')
        .addColumn('name', 'text', (column) => column.primaryKey())
        .addColumn('unspent', 'double precision', (column) => column.notNull())
        .addColumn('at', 'bigint', (column) => column.notNull())
        .execute();
    },
  },
];

/** Changed all the time and worth little after a crash: PostgreSQL need not write it to its log, nor wait for the disk. */
function fleetingTable(tx: Tx, name: string): CreateTableBuilder<string, never> {
  const table = tx.schema.createTable(name);
  return engineOf(tx) === 'postgres' ? table.modifyFront(sql`unlogged`) : table;
}
