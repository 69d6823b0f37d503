// Fills a PostgreSQL database with accounts, objects and their vectors, in bulk and past the API, as analyses would have left
// them. The database is made for it and dropped at the end.
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { newAccount } from '../../src/accounts/new-account.ts';
import type { Account } from '../../src/accounts/tables.ts';
import { migrationsFor } from '../../src/core.ts';
import { newGeneration } from '../../src/objects/object-keys.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { openPgSessions } from '../../src/platform/database/postgres/pg-sessions.ts';
import { openPostgresDatabase } from '../../src/platform/database/postgres/postgres-database.ts';
import { vectorText } from '../../src/search/index/postgres/vector-text.ts';
import type { Space } from '../../src/search/providers/ai-provider.ts';
import type { Embeddings } from './embeddings.ts';
import type { FilledAccount } from './fill-vectors.ts';

const rowsPerInsert = 500;

export type BenchPostgres = {
  url: string;
  database: Database;
  add(what: {
    accounts: number;
    vectors: number;
    space: Space;
    embeddings: Embeddings;
    keep: boolean;
  }): Promise<FilledAccount[]>;
  settle(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

export async function openBenchPostgres(address: string): Promise<BenchPostgres> {
  const name = `tintype_bench_${randomBytes(6).toString('hex')}`;
  await run(address, `create database ${name}`);
  const url = Object.assign(new URL(address), { pathname: `/${name}` }).href;
  const database = await openPostgresDatabase(await openPgSessions({ url, maxSessions: 4 }));
  await database.migrate(migrationsFor(database));
  return {
    url,
    database,
    async add({ accounts, vectors, space, embeddings, keep }) {
      const { dimensions } = space;
      const rows = Array.from({ length: accounts }, () =>
        newAccount({ email: 'someone@example.com', tier: 'enterprise' }),
      );
      for (const row of rows) await database.write((tx) => tx.insertInto('accounts').values(row).execute());
      const filled = rows.map(({ account_id: accountId }) => ({
        accountId,
        vectors: new Float32Array(keep ? Math.ceil(vectors / accounts) * dimensions : 0),
      }));
      for (let from = 0; from < vectors; from += rowsPerInsert) {
        const inserted = Array.from({ length: Math.min(rowsPerInsert, vectors - from) }, (_, at) => {
          const vector = embeddings();
          const [account, place] = [(from + at) % accounts, Math.floor((from + at) / accounts)];
          if (keep) filled[account]?.vectors.set(vector, place * dimensions);
          return { account: rows[account] as Account, seq: place + 1, vector };
        });
        await insert(database, space, inserted);
      }
      return filled;
    },
    settle: () => run(url, 'vacuum analyze'),
    async [Symbol.asyncDispose]() {
      await database.close();
      await run(address, `drop database ${name} with (force)`);
    },
  };
}

type Row = { account: Account; seq: number; vector: Float32Array };

async function insert(database: Database, { model, dimensions }: Space, rows: readonly Row[]): Promise<void> {
  const generations = rows.map(() => newGeneration());
  const accountIds = rows.map(({ account }) => account.account_id);
  const seqs = rows.map(({ seq }) => seq);
  await database.write(async (tx) => {
    await sql`set local synchronous_commit = off`.execute(tx);
    await sql`insert into objects (generation, account_id, bucket_id, object_id, custom_id, seq, backend, kind, type,
        size_bytes, sha256, width, height, frames, alpha, tags, original_file_name, status, created_at)
      select generation, account_id, account_id, generation, 0, seq, 'files', 'image', 'image/jpeg', 100000, '', 4032,
        3024, 1, 0, '[]', 'picture.jpg', 'ready', 0
      from unnest(${generations}::text[], ${accountIds}::text[], ${seqs}::bigint[])
        as given (generation, account_id, seq)`.execute(tx);
    await sql`insert into vectors (generation, account_id, seq, model, dimensions, short, vector)
      select generation, account_id, seq, ${model}::text, ${dimensions}::bigint, whole::vector::halfvec, whole::vector
      from unnest(${generations}::text[], ${accountIds}::text[], ${seqs}::bigint[],
        ${rows.map(({ vector }) => vectorText(vector))}::text[]) as given (generation, account_id, seq, whole)`.execute(
      tx,
    );
  });
}

async function run(address: string, statement: string): Promise<void> {
  const { Client } = await import('pg');
  const client = new Client({ connectionString: address });
  await client.connect();
  await client.query(statement);
  await client.end();
}
