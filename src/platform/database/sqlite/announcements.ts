// Word of changes between processes on one SQLite file: a small table, looked at only when the file was changed.
import { sql } from 'kysely';
import type { Tx } from '../database.ts';
import type { SqliteConnection } from './connection.ts';

const lookEveryMs = 200;
const keepForMs = 3_600_000;

export const createAnnouncementsTable = `create table if not exists announcements (
  id integer primary key autoincrement, origin text not null, topic text not null, key text not null, at integer not null)`;

type Row = { id: number; origin: string; topic: string; key: string };

export class SqliteAnnouncements {
  readonly #connection: SqliteConnection;
  readonly #origin: string;
  readonly #listeners = new Map<string, ((key: string) => void)[]>();
  #timer: NodeJS.Timeout | null = null;
  #lastVersion = -1;
  #lastId: number;

  constructor(connection: SqliteConnection, origin: string) {
    this.#connection = connection;
    this.#origin = origin;
    const newest = connection.run('select coalesce(max(id), 0) as id from announcements', []).rows[0] as {
      id: number;
    };
    this.#lastId = newest.id;
  }

  async record(tx: Tx, topic: string, key: string): Promise<void> {
    await sql`insert into announcements (origin, topic, key, at)
      values (${this.#origin}, ${topic}, ${key}, ${Date.now()})`.execute(tx);
  }

  async prune(tx: Tx): Promise<void> {
    await sql`delete from announcements where at < ${Date.now() - keepForMs}`.execute(tx);
  }

  listen(topic: string, hear: (key: string) => void): void {
    this.#listeners.set(topic, [...(this.#listeners.get(topic) ?? []), hear]);
    this.#timer ??= setInterval(() => this.#look(), lookEveryMs).unref();
  }

  tell(topic: string, key: string): void {
    // Each by itself: one that throws is nobody else's concern, least of all the writer's.
    for (const hear of this.#listeners.get(topic) ?? []) queueMicrotask(() => hear(key));
  }

  close(): void {
    if (this.#timer) clearInterval(this.#timer);
  }

  #look(): void {
    const { data_version: version } = this.#connection.run('pragma data_version', []).rows[0] as {
      data_version: number;
    };
    if (version === this.#lastVersion) return;
    this.#lastVersion = version;
    const newer = 'select id, origin, topic, key from announcements where id > ? order by id';
    for (const row of this.#connection.run(newer, [this.#lastId]).rows as Row[]) {
      this.#lastId = row.id;
      if (row.origin !== this.#origin) this.tell(row.topic, row.key);
    }
  }
}
