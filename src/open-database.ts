// The database the settings ask for: the embedded SQLite, or a PostgreSQL server.
import type { Config } from './config.ts';
import type { Database, Neighbours } from './platform/database/database.ts';
import { openPgSessions } from './platform/database/postgres/pg-sessions.ts';
import { openPostgresDatabase } from './platform/database/postgres/postgres-database.ts';
import { openSqliteDatabase } from './platform/database/sqlite/sqlite-database.ts';
import { OperatorError } from './platform/errors.ts';

export async function openDatabase(config: Config, file: string, neighbours?: Neighbours): Promise<Database> {
  const { DATABASE_URL: url, DATABASE_SESSIONS: maxSessions } = config;
  if (!url) return openSqliteDatabase(file, neighbours);
  try {
    return await openPostgresDatabase(await openPgSessions({ url, maxSessions }), neighbours);
  } catch (error) {
    // The address may hold a password: only what the server, or the line to it, said is shown.
    throw new OperatorError(
      `The database of DATABASE_URL cannot be used: ${(error as Error).message}. Check its address, user, password and that it accepts connections from here.`,
      { cause: error },
    );
  }
}
