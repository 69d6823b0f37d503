// Kysely on SQLite: on the reading connection, or on the writer in its thread.
import { type Dialect, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { statementDriver } from '../statement-driver.ts';
import type { SqlResult, SqlValue } from './connection.ts';

type RunOnSqlite = (sql: string, parameters: readonly SqlValue[]) => SqlResult | Promise<SqlResult>;

/** Kysely would run one statement at a time, each after the answer to the one before; ours may be sent together. */
class PipeliningAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

export function sqliteDialect(run: RunOnSqlite): Dialect {
  return {
    createAdapter: () => new PipeliningAdapter(),
    createDriver: () =>
      statementDriver(async (sql, parameters) => run(sql, parameters as readonly SqlValue[])),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}
