// A real database with an index of pictures on it, objects to keep in it, and the plain way to the nearest vectors.
import { randomUUID } from 'node:crypto';
import type { Account } from '../../src/accounts/tables.ts';
import { migrationsFor } from '../../src/core.ts';
import type { ObjectRow } from '../../src/objects/tables.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { openPgSessions } from '../../src/platform/database/postgres/pg-sessions.ts';
import { openPostgresDatabase } from '../../src/platform/database/postgres/postgres-database.ts';
import type { Sessions } from '../../src/platform/database/postgres/sessions.ts';
import type { PictureIndex } from '../../src/search/index/picture-index.ts';
import { openBuildSession } from '../../src/search/index/postgres/build-session.ts';
import { openPostgresPictureIndex } from '../../src/search/index/postgres/postgres-picture-index.ts';
import { openSqlitePictureIndex } from '../../src/search/index/sqlite/sqlite-picture-index.ts';
import { newTestAccount, objectRow } from './object-rows.ts';
import { openTempDatabase } from './temp-database.ts';
import { databaseOfFolder, dropDatabaseOfFolder, testDatabase } from './test-database.ts';

/** On whatever database. */
export type IndexUnderTest = {
  database: Database;
  index: PictureIndex;
  /** Another on the same database, as after a restart; closed with the rest. */
  openIndex(): PictureIndex;
  newAccount(): Promise<Account>;
  /** As many pictures of an account, from this place in its order. */
  addObjects(account: Account, count: number, firstSeq?: number): Promise<ObjectRow[]>;
  deleteObject(generation: string): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

export type TempIndex = IndexUnderTest & {
  file: string;
  openIndex(options?: { maxCodeBytes?: number }): PictureIndex;
};

const rowsPerInsert = 500;

export async function openTempIndex(): Promise<TempIndex> {
  const temp = await openTempDatabase();
  const { database, file } = temp;
  const open = (options?: { maxCodeBytes?: number }): PictureIndex =>
    openSqlitePictureIndex({ file, ...options });
  return { file, ...indexUnderTest(database, open, () => temp[Symbol.asyncDispose]()) };
}

/** On a PostgreSQL inside the test process, or on the server that TEST_DATABASE names. */
export async function openPostgresTempIndex(options: { exactUpTo?: number } = {}): Promise<IndexUnderTest> {
  const { sessions, url, drop } = await newPostgres();
  const database = await openPostgresDatabase(sessions);
  await database.migrate(migrationsFor(database));
  const openSession = url === null ? undefined : () => openBuildSession(url);
  const open = (): PictureIndex => openPostgresPictureIndex({ database, openSession, ...options });
  return indexUnderTest(database, open, async () => {
    await database.close();
    await drop();
  });
}

async function newPostgres(): Promise<{ sessions: Sessions; url: string | null; drop: () => Promise<void> }> {
  if (!testDatabase.startsWith('postgres')) {
    const { startPglite } = await import('./pglite-sessions.ts');
    const engine = await startPglite();
    return { sessions: engine.open(), url: null, drop: () => engine.stop() };
  }
  const name = `index-${randomUUID()}`;
  const url = (await databaseOfFolder(name)).environment['DATABASE_URL'] as string;
  const sessions = await openPgSessions({ url, maxSessions: 4 });
  return { sessions, url, drop: () => dropDatabaseOfFolder(name) };
}

function indexUnderTest<Options>(
  database: Database,
  openAnother: (options?: Options) => PictureIndex,
  drop: () => Promise<void>,
): IndexUnderTest & { openIndex(options?: Options): PictureIndex } {
  const open: PictureIndex[] = [];
  const openIndex = (options?: Options): PictureIndex => {
    const index = openAnother(options);
    open.push(index);
    return index;
  };
  return {
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
      await drop();
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
