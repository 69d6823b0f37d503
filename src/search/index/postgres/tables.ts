// What pictures are found by in PostgreSQL: their vectors, and their words as lexemes. Columns that others read are named as in
// the other index (../sqlite/tables.ts); the rest is read by this folder alone.
import { sql } from 'kysely';
import type { Migration } from '../../../platform/database/database.ts';
import { addVectorExtension } from './vector-extension.ts';

/** A graph over the vectors of a large account: see graphs.ts. */
export type VectorGraphTable = {
  index_name: string;
  account_id: string;
  model: string;
  dimensions: number;
};

declare module '../../../platform/database/database.ts' {
  interface Tables {
    vector_graphs: VectorGraphTable;
  }
}

export const postgresPictureMigrations: Migration[] = [
  {
    name: '0010-postgres-pictures',
    async up(tx) {
      await addVectorExtension(tx);
      await sql`create table vectors (
        vector_id bigint generated always as identity primary key,
        generation text collate "C" not null unique references objects (generation) on delete cascade,
        account_id text collate "C" not null,
        seq bigint not null,
        model text collate "C" not null,
        dimensions bigint not null,
        short halfvec not null,
        vector vector not null)`.execute(tx);
      // All of an account are looked through by their short form, so it stays in the row; the whole is read of few.
      await sql`alter table vectors
        alter column short set storage main, alter column vector set storage external`.execute(tx);
      await sql`create index vectors_of_account on vectors (account_id, model, dimensions, seq)`.execute(tx);
      await sql`create table vector_graphs (
        index_name text collate "C" primary key,
        account_id text collate "C" not null,
        model text collate "C" not null,
        dimensions bigint not null)`.execute(tx);
      await sql`create table words (
        generation text collate "C" primary key references objects (generation) on delete cascade,
        account_id text collate "C" not null,
        seq bigint not null,
        text text collate "C" not null,
        lexemes tsvector not null)`.execute(tx);
      // Without a list of pending entries: one of many writers would have to work it off, and every search to read it.
      await sql`create index words_lexemes on words using gin (lexemes) with (fastupdate = off)`.execute(tx);
      await sql`create index words_of_account on words (account_id, seq)`.execute(tx);
    },
  },
];
