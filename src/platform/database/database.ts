// What the product needs of a database: reads, durable transactions, and word of changes made by other processes.
// Every feature adds its tables to `Tables` by declaration merging and keeps to SQL that SQLite and PostgreSQL share.
import type { Kysely } from 'kysely';
import type { Statement } from './statement.ts';

// oxlint-disable-next-line typescript/no-empty-object-type -- the features fill it
export interface Tables {}

/** A transaction. Statements given together (`Promise.all`) travel together; nothing but database work may be awaited in one. */
export type Tx = Kysely<Tables>;

export type Migration = { name: string; up(tx: Tx): Promise<void> };

export type Announcement = { readonly topic: string; readonly key: string };

/** What the processes of one service do for each other beside the database; one that is alone needs none of it. */
export type Neighbours = {
  /** Passes on what was announced here. The write that announced it waits for this. */
  tell(announcement: Announcement): Promise<void>;
  /** Waits until nobody else writes; the result ends the turn. */
  takeTurn(): Promise<() => void>;
};

export type Engine = 'sqlite' | 'postgres';

export interface Database {
  readonly engine: Engine;
  /** The time all processes on this database agree on, in milliseconds: what is leased or due is compared with it. */
  now(): number;
  /** Sees everything that was committed when the query runs. */
  readonly read: Kysely<Tables>;
  /** The same for a query that is run very often: built once, and sent past the query builder. */
  select<Row>(query: Statement): Promise<Row[]>;
  /** Resolves when the work is committed and on disk; a throw inside rolls it back and comes out here. */
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * A transaction that needs no answers in between: sent whole, and many at once, so it costs a fraction. When a
   * statement that must change a row changes none, all of it is undone and its `orElse` comes out here.
   */
  writeBatch(statements: readonly Statement[]): Promise<void>;
  /** Tells every process, this one included, after the transaction is committed. */
  announce(tx: Tx, topic: string, key: string): Promise<void>;
  /** This process and its neighbours hear before the write resolves, others within a second. */
  listen(topic: string, hear: (key: string) => void): void;
  /** Whether all that others announced until a second ago was heard; if not, what was learned by hearing is in doubt. */
  hearsInTime(): boolean;
  /** Resolves when every process has heard the last announcement of this key, or doubts what it knows. Never fails. */
  everyoneKnows(topic: string, key: string): Promise<void>;
  /** Called when announcements may have been missed: all that was learned from them is in doubt. */
  onGap(hear: () => void): void;
  /**
   * Word that rows were added to a table, soon after their commit, by whatever process. It may fail to come: who waits
   * for it looks now and then anyway. An engine where looking costs nothing gives none.
   */
  onNewRows(table: string, hear: () => void): void;
  /** What a neighbour has announced. */
  hear(announcement: Announcement): void;
  /** Throws when the database does not answer. */
  ping(): Promise<void>;
  migrate(migrations: readonly Migration[]): Promise<void>;
  close(): Promise<void>;
}
