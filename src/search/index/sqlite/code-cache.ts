// The codes of accounts that were asked about lately, in memory up to a limit. Before every question they are brought up to
// date by what has a higher id than any seen; what does not fit is read again for each question.
import type Sqlite from 'better-sqlite3';
import { Lru } from '../../../lib/lru.ts';
import type { Space } from '../../providers/ai-provider.ts';
import { bytesOfCode, type CodePiece, joinPieces, newPiece, pieceSize } from './code-piece.ts';

/** Known to be deleted, in one account, when its codes are better read anew. */
const maxDeleted = 1000;

type Kept = {
  readonly pieces: CodePiece[];
  lastId: number;
  count: number;
  deleted: number;
};

export type CodeCache = {
  /** All codes of an account in a space, each once, as they are in the database; some kept ones may be of deleted vectors. */
  piecesOf(accountId: string, space: Space): Iterable<CodePiece>;
  /** Vectors that turned out to be deleted, by their places in pieces. */
  forget(accountId: string, space: Space, deleted: readonly { piece: CodePiece; at: number }[]): void;
};

export function openCodeCache(sqlite: Sqlite.Database, maxBytes: number): CodeCache {
  const accounts = new Lru<string, Kept>(maxBytes);
  // As one row of text: to hand over thousands of small blobs one by one takes longer than all the rest.
  const select = sqlite
    .prepare(
      `select json_group_array(vector_id), json_group_array(seq), group_concat(hex(code), '') from (
         select vector_id, seq, code from vectors
          where account_id = ? and model = ? and dimensions = ? and vector_id > ? order by vector_id limit ?)`,
    )
    .raw();
  const keyOf = (accountId: string, { model, dimensions }: Space): string =>
    JSON.stringify([accountId, model, dimensions]);

  function nextPiece(accountId: string, { model, dimensions }: Space, lastId: number): CodePiece | null {
    const row = select.get(accountId, model, dimensions, lastId, pieceSize) as [
      string,
      string,
      string | null,
    ];
    if (row[2] === null) return null;
    return newPiece(
      {
        vectorIds: JSON.parse(row[0]) as number[],
        seqs: JSON.parse(row[1]) as number[],
        codes: Buffer.from(row[2], 'hex'),
      },
      dimensions,
    );
  }

  return {
    *piecesOf(accountId, space) {
      const key = keyOf(accountId, space);
      const kept = accounts.get(key) ?? { pieces: [], lastId: 0, count: 0, deleted: 0 };
      const codeBytes = bytesOfCode(space.dimensions);
      let next = nextPiece(accountId, space, kept.lastId);
      while (next && (kept.count + next.count) * codeBytes <= maxBytes) {
        append(kept, next, space.dimensions);
        next = next.count < pieceSize ? null : nextPiece(accountId, space, kept.lastId);
      }
      accounts.set(key, kept, kept.count * codeBytes);
      yield* kept.pieces;
      for (; next; next = nextPiece(accountId, space, lastIdOf(next))) yield next;
    },

    forget(accountId, space, deleted) {
      for (const { piece, at } of deleted) piece.signFactors[at] = NaN;
      const key = keyOf(accountId, space);
      const kept = accounts.get(key);
      if (!kept) return;
      kept.deleted += deleted.length;
      if (kept.deleted > maxDeleted) accounts.delete(key);
    },
  };
}

function append(kept: Kept, piece: CodePiece, dimensions: number): void {
  const last = kept.pieces.at(-1);
  if (last && last.count + piece.count <= pieceSize)
    kept.pieces.splice(-1, 1, joinPieces(last, piece, dimensions));
  else kept.pieces.push(piece);
  kept.count += piece.count;
  kept.lastId = lastIdOf(piece);
}

function lastIdOf({ vectorIds }: CodePiece): number {
  return vectorIds.at(-1) as number;
}
