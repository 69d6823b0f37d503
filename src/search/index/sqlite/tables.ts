// What pictures are found by in SQLite: their vectors with a short code of each, and their words in an index of full text.
import { type Generated, sql } from 'kysely';
import type { Migration } from '../../../platform/database/database.ts';

export type VectorTable = {
  /** Rises with every vector and is never used again, so that what is new can be told by it. */
  vector_id: Generated<number>;
  generation: string;
  account_id: string;
  /** Place in the account's order, as in the object's row. */
  seq: number;
  model: string;
  dimensions: number;
  /** See vector-code.ts. */
  code: Uint8Array;
  /** 32-bit floats, lowest byte first. */
  vector: Uint8Array;
};

export type WordAccountTable = { account_number: Generated<number>; account_id: string };

export type WordsTable = {
  /** The account's number and the picture's place in it: see words.ts. */
  words_id: number;
  generation: string;
  text: string;
};

declare module '../../../platform/database/database.ts' {
  interface Tables {
    vectors: VectorTable;
    word_accounts: WordAccountTable;
    words: WordsTable;
  }
}

export const sqlitePictureMigrations: Migration[] = [
  {
    name: '0010-sqlite-pictures',
    async up(tx) {
      // Only AUTOINCREMENT promises that the newest id is not given again once its row is gone.
      await sql`create table vectors (
        vector_id integer primary key autoincrement,
        generation text not null unique references objects (generation) on delete cascade,
        account_id text not null,
        seq bigint not null,
        model text not null,
        dimensions bigint not null,
        code blob not null,
        vector blob not null)`.execute(tx);
      await sql`create index vectors_of_account
        on vectors (account_id, model, dimensions, vector_id, seq, code)`.execute(tx);
      await sql`create table word_accounts (
        account_number integer primary key autoincrement,
        account_id text not null unique references accounts (account_id) on delete cascade)`.execute(tx);
      await sql`create table words (
        words_id integer primary key,
        generation text not null unique references objects (generation) on delete cascade,
        text text not null)`.execute(tx);
      await sql`create virtual table words_index using fts5 (
        text, content = 'words', content_rowid = 'words_id', columnsize = 0,
        tokenize = 'unicode61 remove_diacritics 2')`.execute(tx);
      // Otherwise the words of what was deleted stay in the index until parts of it happen to be merged.
      await sql`insert into words_index (words_index, rank) values ('secure-delete', 1)`.execute(tx);
      await sql`create trigger words_added after insert on words begin
        insert into words_index (rowid, text) values (new.words_id, new.text);
      end`.execute(tx);
      await sql`create trigger words_removed after delete on words begin
        insert into words_index (words_index, rowid, text) values ('delete', old.words_id, old.text);
      end`.execute(tx);
    },
  },
];
