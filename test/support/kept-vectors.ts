// Vectors kept twice: in an index, and as a plain list that answers by looking at each.
import fc from 'fast-check';
import type { Account } from '../../src/accounts/tables.ts';
import type { ObjectRow } from '../../src/objects/tables.ts';
import { amongSeqs, type NearestQuery, type Neighbour } from '../../src/search/index/picture-index.ts';
import { cosineOf, type IndexUnderTest, unitVector } from './picture-index.ts';

export type Kept = { object: ObjectRow; model: string; vector: Float32Array };
type Filled = Pick<IndexUnderTest, 'database' | 'index'>;
type Library = Filled & Pick<IndexUnderTest, 'newAccount' | 'addObjects' | 'deleteObject'>;

export const spaceOf = (model: string, vector: Float32Array) => ({ model, dimensions: vector.length });

export function keepAll({ database, index }: Filled, kept: readonly Kept[]): Promise<void> {
  return database.write(async (tx) => {
    for (const { object, model, vector } of kept) {
      const { generation, account_id: accountId, seq } = object;
      await index.keepVector(tx, { generation, accountId, seq, space: spaceOf(model, vector), vector });
    }
  });
}

export function question(
  account: Account,
  vector: Float32Array,
  values: Partial<NearestQuery> = {},
): NearestQuery {
  const space = spaceOf('a', vector);
  return { accountId: account.account_id, space, vector, minCosine: -2, limit: 100, among: null, ...values };
}

/** All of them, one after another. Cosines that differ by less than the tolerance count as equal. */
export function plainly(
  kept: Iterable<Kept>,
  query: NearestQuery,
  { seqs, tolerance = 0 }: { seqs?: ReadonlySet<number> | undefined; tolerance?: number } = {},
): Neighbour[] {
  return [...kept]
    .filter(({ object, model, vector }) => {
      const inSpace = model === query.space.model && vector.length === query.space.dimensions;
      return inSpace && object.account_id === query.accountId && (!seqs || seqs.has(object.seq));
    })
    .map(({ object, vector }) => ({ object, cosine: cosineOf(vector, query.vector) }))
    .filter(({ cosine }) => cosine >= query.minCosine)
    .sort((left, right) =>
      Math.abs(right.cosine - left.cosine) <= tolerance
        ? right.object.seq - left.object.seq
        : right.cosine - left.cosine,
    )
    .slice(0, query.limit)
    .map(({ object, cosine }) => ({ generation: object.generation, cosine }));
}

/** Few values, so that many cosines are equal. */
const smallVector = fc
  .array(fc.integer({ min: -1, max: 1 }), { minLength: 3, maxLength: 3 })
  .filter((values) => values.some((value) => value !== 0))
  .map(unitVector);
const place = fc.nat(11);

/** What may happen to the vectors of two accounts, and what may be asked of them. */
export const stepsWith = (minCosines: readonly number[]) =>
  fc.array(
    fc.oneof(
      fc.record({ do: fc.constant('keep'), place, model: fc.constantFrom('a', 'b'), vector: smallVector }),
      fc.record({ do: fc.constant('delete'), place }),
      fc.record({
        do: fc.constant('ask'),
        place,
        vector: smallVector,
        model: fc.constantFrom('a', 'b'),
        minCosine: fc.constantFrom(...minCosines),
        limit: fc.integer({ min: 1, max: 8 }),
        seqs: fc.option(fc.uniqueArray(fc.integer({ min: 1, max: 6 }))),
      }),
    ),
    { minLength: 5, maxLength: 30 },
  );
type Steps = ReturnType<typeof stepsWith> extends fc.Arbitrary<infer Value> ? Value : never;
type Compare = (
  found: readonly Neighbour[],
  kept: readonly Kept[],
  query: NearestQuery,
  seqs?: ReadonlySet<number>,
) => void;

export async function follow(library: Library, steps: Steps, compare: Compare): Promise<void> {
  const accounts = [await library.newAccount(), await library.newAccount()] as const;
  const objects: (ObjectRow | null)[] = [];
  for (const account of accounts) objects.push(...(await library.addObjects(account, 6)));
  const kept = new Map<string, Kept>();
  for (const each of steps) {
    const object = objects[each.place];
    if ('minCosine' in each) {
      const { vector, minCosine, limit, seqs, model } = each;
      const space = spaceOf(model, vector);
      const among = seqs && amongSeqs(seqs);
      const query = question(accounts[each.place % 2] as Account, vector, { space, minCosine, limit, among });
      const found = await library.index.nearest(query);
      compare(found, [...kept.values()], query, seqs ? new Set(seqs) : undefined);
    } else if ('vector' in each && object) {
      const now = { object, model: each.model, vector: each.vector };
      await keepAll(library, [now]);
      kept.set(object.generation, now);
    } else if (object) {
      await library.deleteObject(object.generation);
      objects[each.place] = null;
      kept.delete(object.generation);
    }
  }
}

/** Between -1 and 1, the same at every run; uniform is near enough to normal once many dimensions are added up. */
export function chances(): () => number {
  let state = 12_345;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 2 ** 30 - 1;
  };
}
