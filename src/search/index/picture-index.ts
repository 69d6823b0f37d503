// What search needs of an index of pictures: the nearest vectors of an account, exactly ranked, and the pictures that have
// certain words. Each kind of database brings its own.
import { blockSize, emptyPlaces, hasPlace, type Places, setPlace } from '../../lib/block-members.ts';
import type { Tx } from '../../platform/database/database.ts';
import type { Space } from '../providers/ai-provider.ts';

/** Objects of one account by their place in its order: block number → places in it, as listings have them. */
export type Among = ReadonlyMap<number, Places>;

export function isAmong(among: Among, seq: number): boolean {
  const places = among.get(Math.floor(seq / blockSize));
  return places !== undefined && hasPlace(places, seq % blockSize);
}

export function amongSeqs(seqs: Iterable<number>): Among {
  const among = new Map<number, Places>();
  for (const seq of seqs) {
    const block = Math.floor(seq / blockSize);
    const places = among.get(block) ?? emptyPlaces();
    setPlace(places, seq % blockSize);
    among.set(block, places);
  }
  return among;
}

export type NearestQuery = {
  readonly accountId: string;
  readonly space: Space;
  /** Of length one. */
  readonly vector: Float32Array;
  readonly minCosine: number;
  readonly limit: number;
  /** Only these; null is all of the account. */
  readonly among: Among | null;
};

export type Neighbour = { readonly generation: string; readonly cosine: number };

export type WordsQuery = {
  readonly accountId: string;
  /** All of them must be there, in any order. */
  readonly words: readonly string[];
  readonly limit: number;
  /** Only these; null is all of the account. */
  readonly among: Among | null;
};

export type PictureVector = {
  readonly generation: string;
  readonly accountId: string;
  readonly seq: number;
  readonly space: Space;
  /** Of length one. */
  readonly vector: Float32Array;
};

export type PictureWords = {
  readonly generation: string;
  readonly accountId: string;
  readonly seq: number;
  /** All that can be found of it by its words. */
  readonly text: string;
};

export interface PictureIndex {
  /** In the caller's transaction; takes the place of the picture's vector before. Gone with its object. */
  keepVector(tx: Tx, vector: PictureVector): Promise<void>;
  /** The same for its words; nothing is written when they are there already. */
  keepWords(tx: Tx, words: PictureWords): Promise<void>;
  /** By falling cosine, each at least the least asked for; sees what was committed before the call. */
  nearest(query: NearestQuery): Promise<Neighbour[]>;
  /** Their places in the account's order, newest first. */
  withWords(query: WordsQuery): Promise<number[]>;
  vectorOf(generation: string): Promise<{ space: Space; vector: Float32Array } | null>;
  /** How many pictures of the account have a vector of this model. */
  count(accountId: string, model: string): Promise<number>;
  close(): Promise<void>;
}
