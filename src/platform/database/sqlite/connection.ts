// One SQLite connection, opened the same way for readers and the writer, with prepared statements kept by their text.
import Sqlite from 'better-sqlite3';
import { addFunctions } from './functions.ts';

export type SqlValue = string | number | bigint | null | Uint8Array;
export type SqlResult = { rows: unknown[]; changes: number };

const maxKeptStatements = 500;

export interface SqliteConnection {
  run(sql: string, parameters: readonly SqlValue[]): SqlResult;
  readonly inTransaction: boolean;
  close(): void;
}

export function openSqliteConnection(file: string, options: { readonly: boolean }): SqliteConnection {
  const sqlite = new Sqlite(file, { readonly: options.readonly, timeout: 5000 });
  if (!options.readonly) {
    sqlite.pragma('journal_mode = WAL');
    sqlite.pragma('synchronous = FULL');
    sqlite.pragma('foreign_keys = ON');
    // Pages changed by many commits are then copied to the file once; 16 MB of log are read back in a moment.
    sqlite.pragma('wal_autocheckpoint = 4000');
    sqlite.pragma('journal_size_limit = 67108864');
  }
  sqlite.pragma('cache_size = -32768');
  sqlite.pragma('temp_store = MEMORY');
  addFunctions(sqlite);
  const statements = new Map<string, Sqlite.Statement>();

  function prepare(sql: string): Sqlite.Statement {
    const known = statements.get(sql);
    if (known) return known;
    const statement = sqlite.prepare(sql);
    if (statements.size >= maxKeptStatements) statements.delete(statements.keys().next().value as string);
    statements.set(sql, statement);
    return statement;
  }

  return {
    run(sql, parameters) {
      const statement = prepare(sql);
      if (statement.reader) {
        const rows = statement.all(...parameters);
        return { rows, changes: rows.length };
      }
      return { rows: [], changes: statement.run(...parameters).changes };
    },
    get inTransaction() {
      return sqlite.inTransaction;
    },
    close() {
      sqlite.close();
    },
  };
}
