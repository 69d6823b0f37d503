// Restores objects from their manifests, many in one transaction, and settles the rare cases in which two claim the same
// id or the same place in the order.
import type { Account } from '../../accounts/tables.ts';
import type { Database, Tx } from '../../platform/database/database.ts';
import { manifestKey, originalKey } from '../object-keys.ts';
import { readManifest } from './read.ts';
import { DamagedManifest, type Problem, type ProblemKind } from './report.ts';
import type { RowReaders } from './rows.ts';
import type { Stores } from '../stores.ts';
import type { ObjectRow } from '../tables.ts';

export type FoundManifest = {
  backend: keyof Stores;
  bucketId: string;
  generation: string;
  account: Account | null;
  /** Of the original beside it; null when there is none. */
  originalBytes: number | null;
};

type Parts = { database: Database; stores: Stores; rows: RowReaders; report(problem: Problem): void };

export class ObjectRestorer {
  readonly #parts: Parts;
  /** Their place is taken; they get a new one when all others have theirs. */
  readonly #displaced: ObjectRow[] = [];

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async restore(found: readonly FoundManifest[]): Promise<void> {
    const rows = (await Promise.all(found.map((one) => this.#readRow(one)))).filter((row) => row !== null);
    // One statement has one list of columns, and a manifest may be older than a column.
    const byColumns = Map.groupBy(rows, (row) => Object.keys(row).join(' '));
    for (const alike of byColumns.values()) {
      await this.#parts.database.write(async (tx) => {
        const inserted = await tx
          .insertInto('objects')
          .values(alike)
          .onConflict((conflict) => conflict.doNothing())
          .returning('generation')
          .execute();
        if (inserted.length === alike.length) return;
        const known = new Set(inserted.map((row) => row.generation));
        for (const row of alike.filter(({ generation }) => !known.has(generation)))
          await this.#settle(tx, row);
      });
    }
  }

  async finish(): Promise<void> {
    for (const row of this.#displaced) {
      await this.#parts.database.write(async (tx) => {
        const { last } = await tx
          .selectFrom('objects')
          .select((eb) => eb.fn.max('seq').as('last'))
          .where('account_id', '=', row.account_id)
          .executeTakeFirstOrThrow();
        await tx
          .insertInto('objects')
          .values({ ...row, seq: Number(last) + 1 })
          .execute();
      });
      this.#report(
        'renumbered_object',
        row,
        'another object has its place in the order; it is listed first now',
      );
    }
  }

  async #readRow(found: FoundManifest): Promise<ObjectRow | null> {
    const where = { bucket_id: found.bucketId, generation: found.generation, backend: found.backend };
    try {
      const { stores, rows } = this.#parts;
      const key = manifestKey(found.bucketId, found.generation);
      const manifest = await readManifest(stores[found.backend], key);
      if (!manifest) return null;
      const row = rows.object(manifest['object']);
      if (row.generation !== found.generation || row.bucket_id !== found.bucketId)
        throw new DamagedManifest('is of another object');
      if (!(row.backend in stores)) throw new DamagedManifest('names no store');
      if (!found.account) {
        this.#report('unknown_account', where, 'no manifest of its bucket tells whose it is');
        return null;
      }
      if (row.account_id !== found.account.account_id)
        throw new DamagedManifest('is of another account than its bucket');
      return (await this.#hasOriginal(found, row)) ? row : null;
    } catch (error) {
      if (!(error instanceof DamagedManifest)) throw error;
      this.#report('damaged_manifest', where, error.message);
      return null;
    }
  }

  async #hasOriginal(found: FoundManifest, row: ObjectRow): Promise<boolean> {
    const sizeBytes =
      row.backend === found.backend
        ? found.originalBytes
        : ((await this.#parts.stores[row.backend].head(originalKey(row.bucket_id, row.generation)))?.size ??
          null);
    if (sizeBytes === row.size_bytes) return true;
    const detail = sizeBytes === null ? 'is gone' : `has ${sizeBytes} bytes instead of ${row.size_bytes}`;
    this.#report('missing_original', row, `the original of "${row.object_id}" ${detail}`);
    return false;
  }

  async #settle(tx: Tx, row: ObjectRow): Promise<void> {
    const sameBucket = tx.selectFrom('objects').selectAll().where('bucket_id', '=', row.bucket_id);
    const [itself, rival] = await Promise.all([
      sameBucket.where('generation', '=', row.generation).executeTakeFirst(),
      sameBucket.where('object_id', '=', row.object_id).executeTakeFirst(),
    ]);
    // Both stores may be one folder: then everything is seen twice.
    if (itself) return;
    if (rival) {
      const older = rival.generation > row.generation ? row : rival;
      this.#report('duplicate_object', older, `a newer object has the id "${row.object_id}"`);
      if (older === row) return;
      await tx.deleteFrom('objects').where('generation', '=', rival.generation).execute();
    }
    const { numInsertedOrUpdatedRows: inserted = 0n } = await tx
      .insertInto('objects')
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow();
    if (inserted === 0n) this.#displaced.push(row);
  }

  #report(
    kind: ProblemKind,
    object: Pick<ObjectRow, 'backend' | 'bucket_id' | 'generation'>,
    detail: string,
  ): void {
    const where = `${object.backend}:${originalKey(object.bucket_id, object.generation)}`;
    this.#parts.report({ kind, where, detail });
  }
}
