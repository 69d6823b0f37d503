// Kysely on top of anything that runs one SQL statement: the reading connection here, or the writer in its thread.
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { SqlResult, SqlValue } from './connection.ts';

export type RunStatement = (sql: string, parameters: readonly SqlValue[]) => SqlResult | Promise<SqlResult>;

/** Kysely would run one statement at a time, each after the answer to the one before; ours may be sent together. */
class PipeliningAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

export function sqliteDialect(run: RunStatement): Dialect {
  const connection: DatabaseConnection = {
    async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
      const { rows, changes } = await run(query.sql, query.parameters as readonly SqlValue[]);
      return { rows: rows as R[], numAffectedRows: BigInt(changes) };
    },
    streamQuery() {
      throw new Error('Read in pages instead of streaming');
    },
  };
  const notHere = (): Promise<void> => Promise.reject(new Error('Use database.write() for a transaction'));
  const nothing = (): Promise<void> => Promise.resolve();
  const driver: Driver = {
    init: nothing,
    acquireConnection: () => Promise.resolve(connection),
    beginTransaction: notHere,
    commitTransaction: notHere,
    rollbackTransaction: notHere,
    releaseConnection: nothing,
    destroy: nothing,
  };
  return {
    createAdapter: () => new PipeliningAdapter(),
    createDriver: () => driver,
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}
