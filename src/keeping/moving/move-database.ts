// Copies a SQLite database that is in use into another one. First all rows, in the order of their keys; then again and
// again what was changed meanwhile, each time as of one moment, so that the copy equals what the source was at that moment.
import type { Kysely } from 'kysely';
import type { Database, Tables } from '../../platform/database/database.ts';
import { failpoint } from '../../platform/failpoints.ts';
import {
  keepPictures,
  type PictureTarget,
  vectorPages,
  type VectorSource,
  vectorsOf,
} from '../rows/pictures.ts';
import { findRows, inGroups, pagesOf, type RowKey } from '../rows/row-pages.ts';
import { type SnapshotSource, withSnapshot } from '../rows/snapshot.ts';
import { describeTables, keyOf, type TableShape } from '../rows/table-shape.ts';
import { deleteRows, upsertRows } from '../rows/write-rows.ts';
import { claimForCopy, type CopyState, writeCopyState } from './copy-state.ts';
import {
  beginNotes,
  forgetNotes,
  lowerFence,
  type NotedChange,
  raiseFence,
  readNotes,
  vectorsTable,
} from './noted-changes.ts';
import { type TableComparison, verifyCopy } from './verify-copy.ts';

/** SQLite cannot shorten its log while somebody looks at an old moment. */
const longestLookMs = 30_000;
const changesAtOnce = 500;

export type MoveParts = {
  source: SnapshotSource & { pictures: VectorSource };
  target: { database: Database; pictures: PictureTarget };
  /** Makes the tables of the target. */
  readonly makeTables: (target: Database) => Promise<void>;
  /** The command that does this, for whoever meets an unfinished copy. */
  by: string;
  readonly onRows: (count: number) => void;
};

export class DatabaseMove {
  readonly #parts: MoveParts;
  readonly #tables: readonly TableShape[];
  #state: CopyState;

  private constructor(parts: MoveParts, tables: readonly TableShape[], state: CopyState) {
    this.#parts = parts;
    this.#tables = tables;
    this.#state = state;
  }

  static async begin(parts: MoveParts): Promise<DatabaseMove> {
    const { source, target, by } = parts;
    const tables = await describeTables(source.database.read);
    const from = await beginNotes(source.database, tables);
    const state = await claimForCopy(target.database, { from, by });
    if (!state.complete) await parts.makeTables(target.database);
    return new DatabaseMove(parts, tables, state);
  }

  get isComplete(): boolean {
    return this.#state.complete;
  }

  /** Until every row that was there at some moment is there. */
  async copyAll(): Promise<void> {
    const { source } = this.#parts;
    for (let isDone = this.#isCopied(); !isDone;) {
      isDone = await withSnapshot(source, async (read) => {
        await this.#apply(read);
        return this.#copyFor(read, performance.now() + longestLookMs);
      });
    }
  }

  /** Brings the copy to the state of this moment; how many rows that took. */
  catchUp(): Promise<number> {
    return withSnapshot(this.#parts.source, (read) => this.#apply(read));
  }

  /** To be called when nobody uses the source any more. Everything is there, compared, and may be served when it resolves. */
  async finish(): Promise<TableComparison[]> {
    const { source, target } = this.#parts;
    await this.catchUp();
    while (!(await raiseFence(source.database, this.#tables))) await this.catchUp();
    failpoint('move:fenced');
    const compared = await withSnapshot(source, (read) =>
      verifyCopy({ read, ...source }, { read: target.database.read, ...target }, this.#tables),
    );
    if (compared.some(({ isEqual }) => !isEqual)) {
      await lowerFence(source.database);
      return compared;
    }
    this.#state = { ...this.#state, complete: true };
    await target.database.write((tx) => writeCopyState(tx, this.#state));
    failpoint('move:complete');
    return compared;
  }

  #isCopied(): boolean {
    return [...this.#tables, vectorsTable].every(({ name }) => this.#state.reached[name] === 'done');
  }

  async #copyFor(read: Kysely<Tables>, untilMs: number): Promise<boolean> {
    const { target, onRows } = this.#parts;
    for (const table of this.#tables) {
      const reached = this.#state.reached[table.name] ?? null;
      if (reached === 'done') continue;
      for await (const page of pagesOf(read, table, reached)) {
        const state = this.#reaching(table, keyOf(table, page.at(-1) as (typeof page)[number]));
        await target.database.write(async (tx) => {
          await upsertRows(tx, table, page);
          await writeCopyState(tx, state);
        });
        this.#state = state;
        onRows(page.length);
        failpoint('move:page');
        if (performance.now() > untilMs) return false;
      }
      await this.#note(this.#reaching(table, 'done'));
    }
    return this.#copyVectors(read, untilMs);
  }

  async #copyVectors(read: Kysely<Tables>, untilMs: number): Promise<boolean> {
    const { source, target, onRows } = this.#parts;
    const reached = this.#state.reached[vectorsTable.name];
    if (reached === 'done') return true;
    const after = reached?.[0] as string | undefined;
    for await (const { generations, vectors } of vectorPages(read, source.pictures, after)) {
      await keepPictures({ target: target.database, index: target.pictures }, generations, vectors);
      await this.#note(this.#reaching(vectorsTable, generations.slice(-1)));
      onRows(vectors.length);
      if (performance.now() > untilMs) return false;
    }
    await this.#note(this.#reaching(vectorsTable, 'done'));
    return true;
  }

  #reaching({ name }: TableShape, key: RowKey | 'done'): CopyState {
    return { ...this.#state, reached: { ...this.#state.reached, [name]: key } };
  }

  async #note(state: CopyState): Promise<void> {
    await this.#parts.target.database.write((tx) => writeCopyState(tx, state));
    this.#state = state;
  }

  /**
   * What was noted of tables that are there, in part or whole. Rows that are gone go first, those that refer to others
   * before these; so neither an id that was used again nor a reference stands in the way.
   */
  async #apply(read: Kysely<Tables>): Promise<number> {
    const notes = (await readNotes(read)).filter(({ table }) => this.#state.reached[table] !== undefined);
    if (notes.length === 0) return 0;
    const byTable = Map.groupBy(notes, ({ table }) => table);
    const begun = this.#tables.filter(({ name }) => byTable.has(name));
    for (const table of begun.toReversed()) await this.#applyTo(table, read, byTable, 'deletions');
    for (const table of begun) await this.#applyTo(table, read, byTable, 'rows');
    await this.#applyVectors(notes);
    failpoint('move:applied');
    await forgetNotes(this.#parts.source.database, notes);
    return notes.length;
  }

  async #applyTo(
    table: TableShape,
    read: Kysely<Tables>,
    byTable: ReadonlyMap<string, NotedChange[]>,
    what: 'deletions' | 'rows',
  ): Promise<void> {
    const { database } = this.#parts.target;
    for (const group of inGroups(byTable.get(table.name) ?? [], changesAtOnce)) {
      const keys = group.map(({ key }) => key);
      const rows = await findRows(read, table, keys);
      if (what === 'rows') {
        await database.write((tx) => upsertRows(tx, table, rows));
        continue;
      }
      const there = new Set(rows.map((row) => JSON.stringify(keyOf(table, row))));
      const gone = keys.filter((key) => !there.has(JSON.stringify(key)));
      await database.write((tx) => deleteRows(tx, table, gone));
    }
  }

  /** Words follow the record, so they are kept anew with it. */
  async #applyVectors(notes: readonly NotedChange[]): Promise<void> {
    const { source, target } = this.#parts;
    if (this.#state.reached[vectorsTable.name] === undefined) return;
    const changed = notes.filter(({ table }) => table === vectorsTable.name || table === 'objects');
    const generations = [...new Set(changed.map(({ key }) => key[0] as string))];
    for (const group of inGroups(generations)) {
      const vectors = await vectorsOf(source.pictures, group);
      await keepPictures({ target: target.database, index: target.pictures }, group, vectors);
    }
  }
}
