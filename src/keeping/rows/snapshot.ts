// All tables as they were at one moment, while others go on writing.
import { type Kysely, sql } from 'kysely';
import type { Database, Tables } from '../../platform/database/database.ts';
import { openSqliteReader } from '../../platform/database/sqlite/file.ts';

export type SnapshotSource = {
  readonly database: Database;
  /** Of SQLite alone. */
  readonly file: string | null;
};

export async function withSnapshot<T>(
  { database, file }: SnapshotSource,
  work: (read: Kysely<Tables>) => Promise<T>,
): Promise<T> {
  if (file === null) {
    return database.write(async (tx) => {
      await sql`set transaction isolation level repeatable read, read only`.execute(tx);
      // Between two looks there are files to be written.
      await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
      return work(tx);
    });
  }
  using reader = openSqliteReader(file);
  await sql`begin`.execute(reader.read);
  // SQLite begins to hold still with the first look.
  await sql`select 1 from sqlite_master limit 1`.execute(reader.read);
  return await work(reader.read);
}
