// The index of pictures in the embedded database: written in the transactions of the caller, read in a thread of its own.
import { sql } from 'kysely';
import { runStatements, statement } from '../../../platform/database/statement.ts';
import type { Log } from '../../../platform/log.ts';
import { indexedText } from '../indexed-text.ts';
import type { PictureIndex } from '../picture-index.ts';
import { askThread } from './ask-thread.ts';
import { encodeVector } from './vector-code.ts';
import { placesPerAccount } from './words.ts';

/** Codes of 600,000 vectors of 512 dimensions; only what was asked about is there. */
const defaultMaxCodeBytes = 128 * 1024 * 1024;

const deleteVector = statement<'generation'>(
  (p) => sql`delete from vectors where generation = ${p('generation')}`,
);
const insertVector = statement<
  'generation' | 'accountId' | 'seq' | 'model' | 'dimensions' | 'code' | 'vector'
>(
  (p) => sql`insert into vectors (generation, account_id, seq, model, dimensions, code, vector)
    values (${p('generation')}, ${p('accountId')}, ${p('seq')}, ${p('model')}, ${p('dimensions')}, ${p('code')}, ${p('vector')})`,
);
const numberAccount = statement<'accountId'>(
  (p) => sql`insert into word_accounts (account_id) values (${p('accountId')}) on conflict do nothing`,
);
const deleteOtherWords = statement<'generation' | 'text'>(
  (p) => sql`delete from words where generation = ${p('generation')} and text <> ${p('text')}`,
);
const insertWords = statement<'generation' | 'accountId' | 'seq' | 'text'>(
  (p) => sql`insert into words (words_id, generation, text)
    select account_number * ${sql.lit(placesPerAccount)} + cast(${p('seq')} as integer), ${p('generation')}, ${p('text')}
      from word_accounts where account_id = ${p('accountId')}
      and not exists (select 1 from words where generation = ${p('generation')})`,
);

export function openSqlitePictureIndex({
  file,
  log,
  maxCodeBytes = defaultMaxCodeBytes,
}: {
  file: string;
  log?: Log;
  /** What codes may take in memory. */
  maxCodeBytes?: number;
}): PictureIndex {
  const { ask, close } = askThread({ file, maxCodeBytes }, log);
  return {
    async keepVector(tx, { generation, accountId, seq, space: { model, dimensions }, vector }) {
      if (vector.length !== dimensions) throw new Error('A vector has not as many dimensions as its space');
      // A copy, because what travels to the writer is the whole buffer.
      const bytes = new Uint8Array(vector.slice().buffer);
      const code = encodeVector(vector);
      await runStatements(tx, [
        deleteVector({ generation }),
        insertVector({ generation, accountId, seq, model, dimensions, code, vector: bytes }),
      ]);
    },
    async keepWords(tx, { generation, accountId, seq, text }) {
      const indexed = indexedText(text);
      await runStatements(tx, [
        numberAccount({ accountId }),
        deleteOtherWords({ generation, text: indexed }),
        insertWords({ generation, accountId, seq, text: indexed }),
      ]);
    },
    nearest: (query) => ask('nearest', { ...query, vector: query.vector.slice() }),
    withWords: (query) => ask('withWords', query),
    vectorOf: (generation) => ask('vectorOf', { generation }),
    count: (accountId, model) => ask('count', { accountId, model }),
    close,
  };
}
