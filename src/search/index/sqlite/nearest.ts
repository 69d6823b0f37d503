// The nearest vectors of an account: candidates by their codes, then their true cosines, until those that are left can no
// longer be among the best. Few vectors are all read, so there the answer is exact whatever the codes say.
import type Sqlite from 'better-sqlite3';
import type { NearestQuery, Neighbour } from '../picture-index.ts';
import { type Candidate, judge } from './candidates.ts';
import { openCodeCache } from './code-cache.ts';
import { rotate } from './rotate.ts';
import { levelTables, signTables } from './vector-code.ts';

/** An account that has no more, or a filter that leaves no more, is answered exactly: everything is read. */
const exactUpTo = 500;
/** Read first, to know how high a cosine must be to count: so many times as many as are wanted. */
const firstReads = 2;
const minReads = 120;
/** Beyond, all there is lies so close together that any of it is a good answer. */
const maxReads = 5000;

type Found = Neighbour & { readonly seq: number };

export function openNearest(
  sqlite: Sqlite.Database,
  maxCodeBytes: number,
): (query: NearestQuery) => Neighbour[] {
  const codes = openCodeCache(sqlite, maxCodeBytes);
  const cosineOf = openVectors(sqlite);

  return ({ accountId, space, vector, minCosine, limit, among }) => {
    if (vector.length !== space.dimensions)
      throw new Error('A question has not as many dimensions as its space');
    const best = newBest(limit, minCosine);
    const deleted: Candidate[] = [];
    const seen = new Set<number>();
    const read = (candidate: Candidate): void => {
      seen.add(candidate.vectorId);
      const found = cosineOf(candidate, vector);
      if (found) best.add(found);
      else deleted.push(candidate);
    };
    const turned = rotate(vector);
    const judged = judge(codes.piecesOf(accountId, space), signTables(turned), among);
    const isSmall = judged.countUpTo(exactUpTo + 1) <= exactUpTo;
    judged.mostLikely(isSmall ? exactUpTo : Math.max(minReads, firstReads * limit)).forEach(read);
    if (!isSmall) {
      for (const candidate of judged.reaching(best.leastUseful(), levelTables(turned))) {
        if (candidate.bound < best.leastUseful() || seen.size - deleted.length >= maxReads) break;
        if (!seen.has(candidate.vectorId)) read(candidate);
      }
    }
    if (deleted.length > 0) codes.forget(accountId, space, deleted);
    return best.all().map(({ generation, cosine }) => ({ generation, cosine }));
  };
}

/** Null of what was deleted since its code was read. */
function openVectors(
  sqlite: Sqlite.Database,
): (candidate: Candidate, question: Float32Array) => Found | null {
  const select = sqlite.prepare('select generation, vector from vectors where vector_id = ?').raw();
  let floats = new Float32Array(0);
  return ({ vectorId, seq }, question) => {
    const row = select.get(vectorId) as [string, Uint8Array] | undefined;
    if (!row) return null;
    // Bytes from the database need not lie where floats may.
    if (floats.length !== question.length) floats = new Float32Array(question.length);
    new Uint8Array(floats.buffer).set(row[1]);
    let cosine = 0;
    for (let at = 0; at < floats.length; at++) cosine += (floats[at] as number) * (question[at] as number);
    return { generation: row[0], cosine, seq };
  };
}

function newBest(limit: number, minCosine: number) {
  const best: Found[] = [];
  const isBetter = (left: Found, right: Found): boolean =>
    left.cosine > right.cosine || (left.cosine === right.cosine && left.seq > right.seq);
  return {
    add(found: Found): void {
      if (!(found.cosine >= minCosine)) return;
      let at = best.length;
      while (at > 0 && isBetter(found, best[at - 1] as Found)) at -= 1;
      best.splice(at, 0, found);
      if (best.length > limit) best.pop();
    },
    /** What has no higher cosine need not be looked at. */
    leastUseful: (): number => (best.length < limit ? minCosine : (best[limit - 1] as Found).cosine),
    all: (): readonly Found[] => best,
  };
}
