// Other ways to the nearest vectors, which look at all of them: in memory for the true answer, and through SQLite, by our own
// product or that of sqlite-vec, for the time it takes.
import Sqlite from 'better-sqlite3';
import { embeddingDimensions } from './embeddings.ts';

/** The highest cosines, falling. */
export function exactNearest(vectors: Float32Array, question: Float32Array, limit: number): number[] {
  const dimensions = question.length;
  const cosines = new Float64Array(vectors.length / dimensions);
  for (const at of cosines.keys())
    cosines[at] = product(vectors.subarray(at * dimensions, (at + 1) * dimensions), question);
  return [...cosines.sort().subarray(-limit)].reverse();
}

/** Milliseconds to read all vectors of an account and multiply each. */
export function exactScan(file: string, accountId: string, question: Float32Array): number {
  const sqlite = new Sqlite(file, { readonly: true });
  const select = sqlite.prepare('select generation, vector from vectors where account_id = ?').raw();
  const startedAt = performance.now();
  const floats = new Float32Array(question.length);
  const bytes = new Uint8Array(floats.buffer);
  let best = -1;
  for (const [, vector] of select.iterate(accountId) as IterableIterator<[string, Buffer]>) {
    bytes.set(vector);
    best = Math.max(best, product(floats, question));
  }
  const tookMs = performance.now() - startedAt;
  sqlite.close();
  return tookMs;
}

/** The same with sqlite-vec's function, on our table. */
export function vecScan(file: string, extension: string, accountId: string, question: Float32Array): number {
  const sqlite = new Sqlite(file, { readonly: true });
  sqlite.loadExtension(extension);
  const select = sqlite.prepare(
    'select generation from vectors where account_id = ? order by vec_distance_cosine(vector, ?) limit 10',
  );
  const startedAt = performance.now();
  select.all(accountId, Buffer.from(question.buffer));
  const tookMs = performance.now() - startedAt;
  sqlite.close();
  return tookMs;
}

/** Milliseconds of each question, in a table of sqlite-vec's own kind in memory. */
export function vecTable(
  extension: string,
  vectors: Float32Array,
  questions: readonly Float32Array[],
  limit: number,
): number[] {
  const sqlite = new Sqlite(':memory:');
  sqlite.loadExtension(extension);
  sqlite.exec(
    `create virtual table v using vec0 (account text partition key, vector float[${embeddingDimensions}] distance_metric=cosine)`,
  );
  const insert = sqlite.prepare("insert into v (account, vector) values ('a', ?)");
  sqlite.transaction(() => {
    for (let at = 0; at < vectors.length / embeddingDimensions; at++)
      insert.run(Buffer.from(vectorAt(vectors, at).slice().buffer));
  })();
  const select = sqlite.prepare("select rowid from v where account = 'a' and vector match ? and k = ?");
  const latenciesMs = questions.map((question) => {
    const startedAt = performance.now();
    select.all(Buffer.from(question.buffer), limit);
    return performance.now() - startedAt;
  });
  sqlite.close();
  return latenciesMs;
}

function vectorAt(vectors: Float32Array, at: number): Float32Array {
  return vectors.subarray(at * embeddingDimensions, (at + 1) * embeddingDimensions);
}

function product(left: Float32Array, right: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < left.length; at++) sum += (left[at] as number) * (right[at] as number);
  return sum;
}
