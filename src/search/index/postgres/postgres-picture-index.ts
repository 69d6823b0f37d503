// The index of pictures in PostgreSQL: written in the transactions of the caller, and asked by statements of its own.
import { CompiledQuery, sql } from 'kysely';
import type { Database } from '../../../platform/database/database.ts';
import { runStatements, statement } from '../../../platform/database/statement.ts';
import type { Log } from '../../../platform/log.ts';
import { indexedText } from '../indexed-text.ts';
import type { PictureIndex } from '../picture-index.ts';
import type { OpenBuildSession } from './build-graph.ts';
import { openGraphs } from './graphs.ts';
import { nearest } from './nearest.ts';
import { vectorFromSent, vectorText } from './vector-text.ts';
import { lexemesText, withWords } from './words.ts';

const keepVector = statement<'generation' | 'accountId' | 'seq' | 'model' | 'dimensions' | 'vector'>(
  (p) => sql`insert into vectors (generation, account_id, seq, model, dimensions, short, vector)
    select ${p('generation')}, ${p('accountId')}, cast(${p('seq')} as bigint), ${p('model')},
      cast(${p('dimensions')} as bigint), whole::halfvec, whole from (select cast(${p('vector')} as vector) as whole) as given
    on conflict (generation) do update set seq = excluded.seq, model = excluded.model,
      dimensions = excluded.dimensions, short = excluded.short, vector = excluded.vector`,
);
const keepWords = statement<'generation' | 'accountId' | 'seq' | 'text' | 'lexemes'>(
  (p) => sql`insert into words (generation, account_id, seq, text, lexemes)
    values (${p('generation')}, ${p('accountId')}, cast(${p('seq')} as bigint), ${p('text')}, cast(${p('lexemes')} as tsvector))
    on conflict (generation) do update set seq = excluded.seq, text = excluded.text, lexemes = excluded.lexemes
      where words.text <> excluded.text`,
);
const selectVector = statement<'generation'>(
  (p) => sql`select model, dimensions, vector_send(vector) as sent from vectors
    where generation = ${p('generation')}`,
);
const countVectors = statement<'accountId' | 'model'>(
  (p) => sql`select count(*) as count from vectors
    where account_id = ${p('accountId')} and model = ${p('model')}`,
);

/** Looking at so many takes up to 100 ms with 1536 dimensions, a third of it with 512. */
const defaultExactUpTo = 20_000;

export function openPostgresPictureIndex({
  database,
  log,
  openSession = () => sessionOf(database),
  exactUpTo = defaultExactUpTo,
}: {
  database: Database;
  log?: Log;
  /** For what takes minutes; without, it must do with the time that a statement has. */
  openSession?: OpenBuildSession | undefined;
  /** Accounts with more vectors get a graph. */
  exactUpTo?: number;
}): PictureIndex {
  const graphs = openGraphs({ database, openSession, exactUpTo, ...(log ? { log } : {}) });
  const underWay = new Set<Promise<unknown>>();
  let isClosed = false;

  /** Closing waits for it. */
  async function asked<T>(answer: () => Promise<T>): Promise<T> {
    if (isClosed) throw new Error('The picture index is closed');
    const answering = answer();
    underWay.add(answering);
    return answering.finally(() => underWay.delete(answering));
  }

  return {
    async keepVector(tx, { generation, accountId, seq, space: { model, dimensions }, vector }) {
      if (vector.length !== dimensions) throw new Error('A vector has not as many dimensions as its space');
      const values = { generation, accountId, seq, model, dimensions, vector: vectorText(vector) };
      await runStatements(tx, [keepVector(values)]);
    },
    async keepWords(tx, { generation, accountId, seq, text }) {
      const lexemes = lexemesText(accountId, text);
      await runStatements(tx, [keepWords({ generation, accountId, seq, text: indexedText(text), lexemes })]);
    },
    nearest: (query) => asked(() => nearest(database, graphs, query)),
    withWords: (query) => asked(() => withWords(database, query)),
    vectorOf: (generation) => asked(() => vectorOf(database, generation)),
    count: (accountId, model) => asked(() => count(database, accountId, model)),
    async close() {
      isClosed = true;
      await Promise.allSettled(underWay);
      await graphs.close();
    },
  };
}

async function vectorOf(database: Database, generation: string): ReturnType<PictureIndex['vectorOf']> {
  type Row = { model: string; dimensions: number; sent: Uint8Array };
  const [row] = await database.select<Row>(selectVector({ generation }));
  if (!row) return null;
  const { model, dimensions, sent } = row;
  return { space: { model, dimensions }, vector: vectorFromSent(sent) };
}

async function count(database: Database, accountId: string, model: string): Promise<number> {
  const [row] = await database.select<{ count: number }>(countVectors({ accountId, model }));
  return row?.count ?? 0;
}

function sessionOf(database: Database): ReturnType<OpenBuildSession> {
  return Promise.resolve({
    async query(text, values = []) {
      const { rows } = await database.read.executeQuery(CompiledQuery.raw(text, [...values]));
      return rows as Record<string, unknown>[];
    },
    end: () => undefined,
  });
}
