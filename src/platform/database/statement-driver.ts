// The part of a Kysely dialect that is the same for both engines: something that runs one statement. Transactions are not
// Kysely's affair here but `database.write`'s, and many statements may be under way at once.
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely';

export type RunStatement = (
  sql: string,
  parameters: readonly unknown[],
) => Promise<{ rows: unknown[]; changes: number }>;

export function statementDriver(run: RunStatement): Driver {
  const connection: DatabaseConnection = {
    async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
      const { rows, changes } = await run(query.sql, query.parameters);
      return { rows: rows as R[], numAffectedRows: BigInt(changes) };
    },
    streamQuery() {
      throw new Error('Read in pages instead of streaming');
    },
  };
  const notHere = (): Promise<void> => Promise.reject(new Error('Use database.write() for a transaction'));
  const nothing = (): Promise<void> => Promise.resolve();
  return {
    init: nothing,
    acquireConnection: () => Promise.resolve(connection),
    beginTransaction: notHere,
    commitTransaction: notHere,
    rollbackTransaction: notHere,
    releaseConnection: nothing,
    destroy: nothing,
  };
}
