// Past one machine: PostgreSQL, shared by any number of nodes. Many transactions run at once; word of changes travels by
// notifications, which arrive in the order of the commits and only after them.
import { Kysely, sql } from 'kysely';
import { randomHex } from '../../random.ts';
import type { Announcement, Database, Migration, Neighbours, Tables } from '../database.ts';
import { compileStatement, type Statement } from '../statement.ts';
import { postgresDialect } from './dialect.ts';
import { isBrokenLine, isCutLine, toAppError } from './failures.ts';
import { addFunctions } from './functions.ts';
import { NewRows } from './new-rows.ts';
import { maxUnheardMs, RecentWord } from './recent-word.ts';
import { ServerWatch } from './server-watch.ts';
import type { Notification, PostgresQuery, PostgresResult, Sessions } from './sessions.ts';
import { Transactions } from './transactions.ts';

const announcementChannel = 'tintype_announcements';
const newRowsChannel = 'tintype_new_rows';
/** As many sessions as may have been cut together with one that is tried. */
const maxReadAttempts = 3;
/** Any number, the same in every process that migrates. */
const migrationLock = 7_468_331_021;

export async function openPostgresDatabase(sessions: Sessions, neighbours?: Neighbours): Promise<Database> {
  const origin = randomHex(8);
  const listeners = new Map<string, ((key: string) => void)[]>();
  const onGap: (() => void)[] = [];
  const recentWord = new RecentWord();
  const tell = ({ topic, key }: Announcement): void => {
    recentWord.note(topic, key);
    // Each by itself: one that throws is nobody else's concern.
    for (const hear of listeners.get(topic) ?? []) queueMicrotask(() => hear(key));
  };
  const hear = ({ channel, payload }: Notification): void => {
    const [sender, ...words] = JSON.parse(payload) as string[];
    if (sender === origin) return;
    if (channel === newRowsChannel) for (const table of words) newRows.heard(table);
    else tell({ topic: words[0] as string, key: words[1] as string });
  };
  const watch = new ServerWatch({
    sessions,
    channels: [announcementChannel, newRowsChannel],
    hear,
    onGap: () => {
      recentWord.startAnew();
      for (const each of onGap) each();
    },
  });
  const newRows = new NewRows((tables) => watch.notify(newRowsChannel, JSON.stringify([origin, ...tables])));
  const transactions = new Transactions(sessions, newRows);
  const run = (query: PostgresQuery): Promise<PostgresResult> => runAlone(sessions, query);
  const read = new Kysely<Tables>({ dialect: postgresDialect((text, values) => run({ text, values })) });
  let closed: Promise<void> | null = null;
  await watch.start();

  return {
    engine: 'postgres',
    now: () => watch.now(),
    read,
    async select<Row>(query: Statement) {
      return (await run(queryOf(read, query))).rows as Row[];
    },
    write: (work) => transactions.write(work),
    writeBatch: (statements) =>
      transactions.writeBatch(statements.map((each) => ({ ...queryOf(read, each), orElse: each.orElse }))),
    async announce(tx, topic, key) {
      await sql`select pg_notify(${announcementChannel}, ${JSON.stringify([origin, topic, key])})`.execute(
        tx,
      );
      transactions.afterCommit(tx, () => {
        tell({ topic, key });
        return neighbours?.tell({ topic, key });
      });
    },
    listen: (topic, listener) => void listeners.set(topic, [...(listeners.get(topic) ?? []), listener]),
    hearsInTime: () => watch.hasHeardWithin(maxUnheardMs),
    async everyoneKnows(topic, key) {
      // Without a session that hears, anything may have been missed.
      await watch.catchUp().catch(() => recentWord.startAnew());
      await recentWord.isEveryones(topic, key);
    },
    onGap: (listener) => void onGap.push(listener),
    onNewRows: (table, listener) => newRows.listen(table, listener),
    hear: tell,
    async ping() {
      await run({ text: 'select 1' });
    },
    migrate: (migrations) => migrate(transactions, migrations),
    close: () => (closed ??= watch.stop().then(() => sessions.close())),
  };
}

/** What stands alone needs no transaction. Run again when its session broke: it only reads, and others may be whole. */
async function runAlone(sessions: Sessions, query: PostgresQuery): Promise<PostgresResult> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const session = await sessions.acquire();
      try {
        const result = await session.query(query);
        session.release();
        return result;
      } catch (error) {
        session.release({ broken: isBrokenLine(error) });
        if (!isCutLine(error) || attempt === maxReadAttempts) throw error;
      }
    } catch (error) {
      throw toAppError(error);
    }
  }
}

function queryOf(read: Kysely<Tables>, statement: Statement): PostgresQuery {
  const { sql: text, parameters: values } = compileStatement(read, statement);
  return { text, values };
}

/** One transaction, and one process at a time: those that start together find nothing left to do. */
async function migrate(transactions: Transactions, migrations: readonly Migration[]): Promise<void> {
  await transactions.write(async (tx) => {
    await sql`set local statement_timeout = 0`.execute(tx);
    await sql`set local lock_timeout = 0`.execute(tx);
    await sql`select pg_advisory_xact_lock(${migrationLock})`.execute(tx);
    await sql`create table if not exists migrations
      (name text collate "C" primary key, applied_at bigint not null)`.execute(tx);
    // What all nodes must agree on.
    await sql`create table if not exists service_facts
      (name text collate "C" primary key, value text collate "C" not null)`.execute(tx);
    const applied = await sql<{ name: string }>`select name from migrations`.execute(tx);
    const known = new Set(applied.rows.map((row) => row.name));
    const missing = migrations.filter(({ name }) => !known.has(name));
    if (missing.length > 0) await addFunctions(tx);
    for (const migration of missing) {
      await migration.up(tx);
      await sql`insert into migrations (name, applied_at) values (${migration.name}, ${Date.now()})`.execute(
        tx,
      );
    }
  });
}
