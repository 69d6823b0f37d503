// The embedded default: one SQLite file in WAL mode, read here and written in a thread.
import { randomBytes } from 'node:crypto';
import { Kysely, sql } from 'kysely';
import type { Database, Migration, Neighbours, Tables } from '../database.ts';
import { createAnnouncementsTable, SqliteAnnouncements } from './announcements.ts';
import { openSqliteConnection } from './connection.ts';
import { sqliteDialect } from './dialect.ts';
import { compileStatement, type Statement } from '../statement.ts';
import { SqliteWriter } from './writer.ts';

const pruneEveryMs = 600_000;

export function openSqliteDatabase(file: string, neighbours?: Neighbours): Database {
  const setup = openSqliteConnection(file, { readonly: false });
  setup.run(createAnnouncementsTable, []);
  setup.run('create table if not exists migrations (name text primary key, applied_at bigint not null)', []);
  setup.close();
  const reader = openSqliteConnection(file, { readonly: true });
  const read = new Kysely<Tables>({
    dialect: sqliteDialect((text, parameters) => reader.run(text, parameters)),
  });
  const writer = new SqliteWriter(file, neighbours && (() => neighbours.takeTurn()));
  const announcements = new SqliteAnnouncements(reader, randomBytes(8).toString('hex'));
  const prune = (): void => void writer.write((tx) => announcements.prune(tx)).catch(() => undefined);
  const pruner = setInterval(prune, pruneEveryMs).unref();

  return {
    engine: 'sqlite',
    now: () => Date.now(),
    read,
    async select<Row>(query: Statement) {
      const { sql: text, parameters } = compileStatement(read, query);
      return reader.run(text, parameters).rows as Row[];
    },
    write: (work) => writer.write(work),
    writeBatch: (statements) =>
      writer.writeBatch(statements.map((each) => ({ ...compileStatement(read, each), orElse: each.orElse }))),
    async announce(tx, topic, key) {
      await announcements.record(tx, topic, key);
      writer.afterCommit(() => {
        announcements.tell(topic, key);
        return neighbours?.tell({ topic, key });
      });
    },
    listen: (topic, hear) => announcements.listen(topic, hear),
    // Neighbours hear before a write resolves, and nobody else serves anything.
    hearsInTime: () => true,
    everyoneKnows: async () => undefined,
    // The table of announcements stays: whoever looks late still finds them.
    onGap: () => undefined,
    onNewRows: () => undefined,
    hear: ({ topic, key }) => announcements.tell(topic, key),
    async ping() {
      writer.assertAlive();
      reader.run('select 1', []);
    },
    migrate: (migrations) => migrate(writer, migrations),
    async close() {
      clearInterval(pruner);
      announcements.close();
      reader.close();
      // Last, because only a writer that is alone can fold the log into the file when it closes.
      await writer.close();
    },
  };
}

/** One transaction: two processes that start at once wait for each other here, and the second finds nothing to do. */
async function migrate(writer: SqliteWriter, migrations: readonly Migration[]): Promise<void> {
  await writer.write(async (tx) => {
    const applied = await sql<{ name: string }>`select name from migrations`.execute(tx);
    const known = new Set(applied.rows.map((row) => row.name));
    for (const migration of migrations.filter(({ name }) => !known.has(name))) {
      await migration.up(tx);
      await sql`insert into migrations (name, applied_at) values (${migration.name}, ${Date.now()})`.execute(
        tx,
      );
    }
  });
}
