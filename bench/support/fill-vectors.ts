// Fills a database with accounts, objects and their vectors, in bulk and past the API, as analyses would have left them.
import Sqlite from 'better-sqlite3';
import { newAccount } from '../../src/accounts/new-account.ts';
import { migrationsFor } from '../../src/core.ts';
import { newGeneration } from '../../src/objects/object-keys.ts';
import { openSqliteDatabase } from '../../src/platform/database/sqlite/sqlite-database.ts';
import { encodeVector } from '../../src/search/index/sqlite/vector-code.ts';
import { type Embeddings, embeddingDimensions } from './embeddings.ts';

export const benchSpace = { model: 'bench/model@512', dimensions: embeddingDimensions };
const rowsPerTransaction = 10_000;

/** Its vectors one behind the other, so that memory holds one large thing, not many small ones. */
export type FilledAccount = { accountId: string; vectors: Float32Array };
export type Filling = {
  /** As many vectors, given to as many accounts in turn; kept in memory too where `keep` says so. */
  add(what: { accounts: number; vectors: number; embeddings: Embeddings; keep: boolean }): FilledAccount[];
  end(): void;
};

export async function startFilling(file: string): Promise<Filling> {
  const database = openSqliteDatabase(file);
  await database.migrate(migrationsFor(database));
  await database.close();
  const sqlite = new Sqlite(file);
  sqlite.pragma('synchronous = OFF');
  sqlite.pragma('foreign_keys = ON');
  sqlite.pragma('cache_size = -1048576');
  sqlite.pragma('wal_autocheckpoint = 50000');
  const insert = rowInserter(sqlite);
  return {
    add({ accounts, vectors, embeddings, keep }) {
      const filled = Array.from({ length: accounts }, () => ({
        accountId: addAccount(sqlite),
        vectors: new Float32Array(keep ? Math.ceil(vectors / accounts) * embeddingDimensions : 0),
      }));
      for (let from = 0; from < vectors; from += rowsPerTransaction) {
        sqlite.transaction(() => {
          for (let at = from; at < Math.min(vectors, from + rowsPerTransaction); at++) {
            const account = filled[at % accounts] as FilledAccount;
            const vector = embeddings();
            insert(account.accountId, Math.floor(at / accounts) + 1, vector);
            if (keep) account.vectors.set(vector, Math.floor(at / accounts) * embeddingDimensions);
          }
        })();
      }
      return filled;
    },
    end() {
      sqlite.pragma('wal_checkpoint(TRUNCATE)');
      sqlite.close();
    },
  };
}

function addAccount(sqlite: Sqlite.Database): string {
  const account = newAccount({ email: 'someone@example.com', tier: 'enterprise' });
  const columns = Object.keys(account);
  sqlite
    .prepare(`insert into accounts (${columns.join()}) values (${columns.map((name) => `@${name}`).join()})`)
    .run(account);
  return account.account_id;
}

function rowInserter(sqlite: Sqlite.Database) {
  const insertObject = sqlite.prepare(
    `insert into objects (generation, account_id, bucket_id, object_id, custom_id, seq, backend, kind, type, size_bytes,
      sha256, width, height, frames, alpha, tags, original_file_name, status, created_at)
     values (@generation, @accountId, @accountId, @generation, 0, @seq, 'files', 'image', 'image/jpeg', 100000,
      '', 4032, 3024, 1, 0, '[]', 'picture.jpg', 'ready', 0)`,
  );
  const insertVector = sqlite.prepare(
    `insert into vectors (generation, account_id, seq, model, dimensions, code, vector)
     values (@generation, @accountId, @seq, @model, @dimensions, @code, @vector)`,
  );
  return (accountId: string, seq: number, vector: Float32Array): void => {
    const generation = newGeneration();
    insertObject.run({ generation, accountId, seq });
    const code = Buffer.from(encodeVector(vector));
    const bytes = Buffer.from(vector.buffer);
    insertVector.run({ generation, accountId, seq, ...benchSpace, code, vector: bytes });
  };
}
