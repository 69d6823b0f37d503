// Fills a data folder's database with a million objects of one account, in bulk and past the API: rows, counts and facet
// blocks as a million uploads and a hundred thousand deletions leave them. Kept between runs in the temporary folder of
// the system, and filled anew when the tables or the filling change.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { ensureOperatorAccount } from '../src/accounts/accounts.ts';
import { accountMigrations } from '../src/accounts/tables.ts';
import {
  blockSize,
  countPlaces,
  emptyPlaces,
  encodePlaces,
  type Places,
  setPlace,
} from '../src/lib/block-members.ts';
import { facetsOf } from '../src/objects/facets.ts';
import { type ObjectRow, objectMigrations } from '../src/objects/tables.ts';
import { openSqliteDatabase } from '../src/platform/database/sqlite/sqlite-database.ts';
import { jobMigrations } from '../src/platform/jobs/jobs.ts';
import { type LibraryObject, libraryObjects } from './library-shape.ts';
import { operatorKey } from './support/service.ts';

export const libraryFolder = join(tmpdir(), 'tintype-bench-library');
const migrations = [...jobMigrations, ...accountMigrations, ...objectMigrations];

/** The database file of the filled library, which is only to be copied. */
export async function filledLibrary(): Promise<string> {
  const file = join(libraryFolder, 'tintype.db');
  const marker = join(libraryFolder, 'filled');
  const wanted = libraryFingerprint();
  if (existsSync(marker) && readFileSync(marker, 'utf8') === wanted) return file;
  rmSync(libraryFolder, { recursive: true, force: true });
  mkdirSync(libraryFolder);
  const database = openSqliteDatabase(file);
  await database.migrate(migrations);
  await ensureOperatorAccount(database, { bootstrapKey: operatorKey });
  await database.close();
  fill(file);
  writeFileSync(marker, wanted);
  return file;
}

export function libraryFingerprint(): string {
  const sources = ['fill-library.ts', 'library-shape.ts'].map((name) =>
    readFileSync(join(import.meta.dirname, name), 'utf8'),
  );
  const tables = migrations.map((migration) => JSON.stringify(Object.entries(migration).map(String)));
  return createHash('sha256')
    .update([...sources, ...tables].join('\n'))
    .digest('hex');
}

type Owner = Pick<ObjectRow, 'account_id' | 'bucket_id'>;

function fill(file: string): void {
  const sqlite = new Sqlite(file);
  sqlite.pragma('synchronous = OFF');
  sqlite.pragma('cache_size = -524288');
  const owner = sqlite.prepare('select account_id, bucket_id from accounts').get() as Owner;
  const insertRow = inserter(sqlite, 'objects', Object.keys(rowOf(owner, libraryObjects().next().value)));
  const facets = new FacetWriter(sqlite, owner.account_id);
  sqlite.transaction(() => {
    let [count, sizeBytes, newest] = [0, 0, 0];
    for (const object of libraryObjects()) {
      const row = rowOf(owner, object);
      insertRow(row);
      facets.add(row);
      count += 1;
      sizeBytes += object.sizeBytes;
      newest = object.seq;
    }
    facets.end();
    sqlite
      .prepare('update accounts set object_count = ?, storage_used_bytes = ?, next_seq = ?')
      .run(count, sizeBytes, newest + 1);
  })();
  sqlite.pragma('wal_checkpoint(TRUNCATE)');
  sqlite.close();
}

function inserter(sqlite: Sqlite.Database, table: string, columns: string[]): (row: object) => void {
  const named = columns.map((column) => `@${column}`);
  const statement = sqlite.prepare(
    `insert into ${table} (${columns.join(', ')}) values (${named.join(', ')})`,
  );
  return (row) => void statement.run(row);
}

/** Objects come in the order of their numbers, so one block of every facet is open at a time. */
class FacetWriter {
  readonly #accountId: string;
  readonly #insertBlock: (row: object) => void;
  readonly #insertCount: (row: object) => void;
  readonly #counts = new Map<string, number>();
  #block = 0;
  #open = new Map<string, Places>();

  constructor(sqlite: Sqlite.Database, accountId: string) {
    this.#accountId = accountId;
    this.#insertBlock = inserter(sqlite, 'facet_blocks', [
      'account_id',
      'facet',
      'block',
      'count',
      'members',
    ]);
    this.#insertCount = inserter(sqlite, 'facets', ['account_id', 'facet', 'count']);
  }

  add(object: ObjectRow): void {
    const block = Math.floor(object.seq / blockSize);
    if (block !== this.#block) this.#closeBlock();
    this.#block = block;
    for (const facet of facetsOf(object)) {
      const places = this.#open.get(facet) ?? emptyPlaces();
      this.#open.set(facet, places);
      setPlace(places, object.seq % blockSize);
      this.#counts.set(facet, (this.#counts.get(facet) ?? 0) + 1);
    }
  }

  end(): void {
    this.#closeBlock();
    for (const [facet, count] of this.#counts)
      this.#insertCount({ account_id: this.#accountId, facet, count });
  }

  #closeBlock(): void {
    for (const [facet, places] of this.#open) {
      this.#insertBlock({
        account_id: this.#accountId,
        facet,
        block: this.#block,
        count: countPlaces(places),
        members: encodePlaces(places),
      });
    }
    this.#open = new Map();
  }
}

function rowOf(owner: Owner, object: LibraryObject): ObjectRow {
  return {
    generation: object.generation,
    account_id: owner.account_id,
    bucket_id: owner.bucket_id,
    object_id: object.objectId,
    custom_id: 0,
    seq: object.seq,
    backend: 'files',
    kind: 'image',
    type: 'image/jpeg',
    size_bytes: object.sizeBytes,
    sha256: createHash('sha256').update(object.generation).digest('hex'),
    width: 4032,
    height: 3024,
    frames: 1,
    alpha: 0,
    folder: object.folder,
    tags: JSON.stringify(object.tags),
    original_file_name: `IMG_${object.seq}.jpg`,
    status: 'ready',
    caption: null,
    caption_model: null,
    duration_ms: null,
    progress: null,
    error: null,
    film: null,
    thumbhash: null,
    dominant_color: null,
    created_at: object.createdAt,
  };
}
