// The rows of search: pictures that wait for their analysis, and how the analysis of an account stands. What pictures are
// found by stands with each index. All of an object goes with its row.
import type { Selectable } from 'kysely';
import type { Migration } from '../platform/database/database.ts';

/** A picture that is yet to be analysed, or could not be. */
export type AnalysisTable = {
  generation: string;
  account_id: string;
  run_at: number;
  attempts: number;
  /** 1 when it was given up. */
  dead: number;
  /** What went wrong last, in a sentence for the account's owner. */
  error: string | null;
};
export type AnalysisRow = Selectable<AnalysisTable>;

export type AnalysisStateTable = {
  account_id: string;
  /** The model for which all pictures of the account were looked through, and those without a vector queued. */
  model: string | null;
  /** Nothing is asked of the provider before; 0 when nothing is wrong. */
  paused_until: number;
  /** Pauses in a row. */
  pauses: number;
  /** Why it is paused, or was last. */
  pause_reason: PauseReason | null;
};
export type AnalysisMinuteTable = {
  account_id: string;
  began_at: number;
  /** Pictures begun since. */
  taken: number;
};
export type AnalysisMinuteRow = Selectable<AnalysisMinuteTable>;

export type PauseReason = 'settings' | 'busy' | 'unavailable';

declare module '../platform/database/database.ts' {
  interface Tables {
    analyses: AnalysisTable;
    analysis_states: AnalysisStateTable;
    analysis_minutes: AnalysisMinuteTable;
  }
}

export const searchMigrations: Migration[] = [
  {
    name: '0009-analyses',
    async up(tx) {
      await tx.schema
        .createTable('analyses')
        .addColumn('generation', 'text', (column) =>
          column.primaryKey().references('objects.generation').onDelete('cascade'),
        )
        .addColumn('account_id', 'text', (column) => column.notNull())
        .addColumn('run_at', 'bigint', (column) => column.notNull())
        .addColumn('attempts', 'bigint', (column) => column.notNull())
        .addColumn('dead', 'bigint', (column) => column.notNull())
        .addColumn('error', 'text')
        .execute();
      await tx.schema
        .createIndex('analyses_due')
        .on('analyses')
        .columns(['account_id', 'dead', 'run_at'])
        .execute();
      await tx.schema
        .createTable('analysis_states')
        .addColumn('account_id', 'text', (column) =>
          column.primaryKey().references('accounts.account_id').onDelete('cascade'),
        )
        .addColumn('model', 'text')
        .addColumn('paused_until', 'bigint', (column) => column.notNull())
        .addColumn('pauses', 'bigint', (column) => column.notNull())
        .addColumn('pause_reason', 'text')
        .execute();
    },
  },
  {
    name: '0014-analysis-minutes',
    async up(tx) {
      await tx.schema
        .createTable('analysis_minutes')
        .addColumn('account_id', 'text', (column) =>
          column.primaryKey().references('accounts.account_id').onDelete('cascade'),
        )
        .addColumn('began_at', 'bigint', (column) => column.notNull())
        .addColumn('taken', 'bigint', (column) => column.notNull())
        .execute();
    },
  },
];
