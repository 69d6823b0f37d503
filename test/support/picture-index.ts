// A real database with an index of pictures on it, objects to keep in it, and the plain way to the nearest vectors.
import type { Account } from '../../src/accounts/tables.ts';
import type { ObjectRow } from '../../src/objects/tables.ts';
import type { Database } from '../../src/platform/database/database.ts';
import type { PictureIndex } from '../../src/search/index/picture-index.ts';
import { openSqlitePictureIndex } from '../../src/search/index/sqlite/sqlite-picture-index.ts';
import { newTestAccount, objectRow } from './object-rows.ts';
import { openTempDatabase } from './temp-database.ts';

export type TempIndex = {
  file: string;
  database: Database;
  index: PictureIndex;
  /** Another on the same file, as after a restart; closed with the rest. */
  openIndex(options?: { maxCodeBytes?: number }): PictureIndex;
  newAccount(): Promise<Account>;
  /** As many pictures of an account, from this place in its order. */
  addObjects(account: Account, count: number, firstSeq?: number): Promise<ObjectRow[]>;
  deleteObject(generation: string): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

const rowsPerInsert = 500;

export async function openTempIndex(): Promise<TempIndex> {
  const temp = await openTempDatabase();
  const { database, file } = temp;
  const open: PictureIndex[] = [];
  const openIndex: TempIndex['openIndex'] = (options) => {
    const index = openSqlitePictureIndex({ file, ...options });
    open.push(index);
    return index;
  };
  return {
    file,
    database,
    index: openIndex(),
    openIndex,
    newAccount: () => newTestAccount(database),
    async addObjects(account, count, firstSeq = 1) {
      const rows = Array.from({ length: count }, (_, at) => objectRow(account, { seq: firstSeq + at }));
      await database.write(async (tx) => {
        for (let from = 0; from < count; from += rowsPerInsert)
          await tx
            .insertInto('objects')
            .values(rows.slice(from, from + rowsPerInsert))
            .execute();
      });
      return rows;
    },
    deleteObject: (generation) =>
      database.write(async (tx) => {
        await tx.deleteFrom('objects').where('generation', '=', generation).execute();
      }),
    async [Symbol.asyncDispose]() {
      for (const index of open) await index.close();
      await temp[Symbol.asyncDispose]();
    },
  };
}

export function unitVector(values: Iterable<number>): Float32Array {
  const vector = Float32Array.from(values);
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

/** In the order of the dimensions, so that it is the same to the last bit. */
export function cosineOf(left: Float32Array, right: Float32Array): number {
  return left.reduce((sum, value, at) => sum + value * (right[at] as number), 0);
}
