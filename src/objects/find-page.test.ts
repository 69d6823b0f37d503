import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { newTestAccount, objectRow } from '../../test/support/object-rows.ts';
import { openTempDatabase, type TempDatabase } from '../../test/support/temp-database.ts';
import type { Account } from '../accounts/tables.ts';
import { blockSize, decodePlaces, placesDescending } from '../lib/block-members.ts';
import type { Database } from '../platform/database/database.ts';
import { changeFacets, facetsOf, folderFacet, tagFacet, typeFacet } from './facets.ts';
import { findPage, type PageQuery } from './find-page.ts';
import type { ObjectRow } from './tables.ts';

type Look = { kind: 'image' | 'video'; folder: string | null; tags: string[] };
type Asked = Omit<PageQuery, 'accountId'>;

const facetSets = new WeakMap<ObjectRow, Set<string>>();
function facetSetOf(row: ObjectRow): Set<string> {
  const known = facetSets.get(row) ?? new Set(facetsOf(row));
  facetSets.set(row, known);
  return known;
}

/** A library kept twice: as the service keeps it, and as a plain list of rows. */
class Library {
  readonly rows = new Map<number, ObjectRow>();
  readonly #account: Account;
  readonly #database: Database;
  #written: Promise<void> = Promise.resolve();

  constructor(database: Database, account: Account) {
    this.#database = database;
    this.#account = account;
  }

  put(seq: number, look: Look): void {
    const row = objectRow(this.#account, { seq, ...look, tags: JSON.stringify(look.tags) });
    this.rows.set(seq, row);
    this.#change(row, facetsOf(row), []);
  }

  change(seq: number, look: Pick<Look, 'folder' | 'tags'>): void {
    const before = this.rows.get(seq) as ObjectRow;
    const row = { ...before, folder: look.folder, tags: JSON.stringify(look.tags) };
    this.rows.set(seq, row);
    const had = new Set(facetsOf(before));
    const has = new Set(facetsOf(row));
    this.#change(row, [...has.difference(had)], [...had.difference(has)]);
  }

  delete(seq: number): void {
    const row = this.rows.get(seq) as ObjectRow;
    this.rows.delete(seq);
    this.#change(row, [], facetsOf(row));
  }

  #change(row: ObjectRow, add: string[], remove: string[]): void {
    // One after another, as those of an account are.
    this.#written = this.#written.then(() =>
      this.#database.write((tx) => changeFacets(tx, row, { add, remove })),
    );
  }

  async settled(): Promise<this> {
    await this.#written;
    return this;
  }

  find(asked: Asked) {
    return findPage(this.#database, { accountId: this.#account.account_id, ...asked });
  }

  matching(facets: readonly string[]): number[] {
    return [...this.rows.values()]
      .filter((row) => {
        const has = facetSetOf(row);
        return facets.every((facet) => has.has(facet));
      })
      .map(({ seq }) => seq)
      .sort((a, b) => b - a);
  }

  async assertPage(asked: Asked): Promise<void> {
    const all = this.matching(asked.facets);
    const after = all.filter((seq) => asked.before === undefined || seq < asked.before);
    const seqs = after.slice(asked.skip, asked.skip + asked.take);
    assert.deepEqual(await this.find(asked), { seqs, total: all.length }, JSON.stringify(asked));
  }

  /** Everything, page after page by number and by cursor. */
  async assertWalks(facets: readonly string[], take: number): Promise<void> {
    const all = this.matching(facets);
    const byNumber: number[] = [];
    const byCursor: number[] = [];
    for (let skip = 0; ; skip += take) {
      const { seqs } = await this.find({ facets, skip, take });
      if (seqs.length === 0) break;
      byNumber.push(...seqs);
    }
    for (let before: number | undefined; ; before = byCursor.at(-1)) {
      const { seqs } = await this.find({ facets, skip: 0, take, before });
      if (seqs.length === 0) break;
      byCursor.push(...seqs);
    }
    assert.deepEqual(byNumber, all);
    assert.deepEqual(byCursor, all);
  }

  /** What is in the tables is what the rows say, and nothing more. */
  async assertTables(): Promise<void> {
    const members = new Map<string, number[]>();
    for (const row of this.rows.values())
      for (const facet of facetsOf(row)) members.set(facet, [...(members.get(facet) ?? []), row.seq]);
    const counts = await this.#database.read
      .selectFrom('facets')
      .select(['facet', 'count'])
      .where('account_id', '=', this.#account.account_id)
      .execute();
    assert.deepEqual(
      new Map(counts.map(({ facet, count }) => [facet, count])),
      new Map([...members].map(([facet, seqs]) => [facet, seqs.length])),
    );
    const blocks = await this.#database.read
      .selectFrom('facet_blocks')
      .selectAll()
      .where('account_id', '=', this.#account.account_id)
      .orderBy('block', 'desc')
      .execute();
    const found = new Map<string, number[]>();
    for (const { facet, block, count, members: bytes } of blocks) {
      const seqs = placesDescending(decodePlaces(bytes)).map((place) => block * blockSize + place);
      assert.ok(count > 0, 'an empty block was left');
      assert.equal(count, seqs.length);
      found.set(facet, [...(found.get(facet) ?? []), ...seqs]);
    }
    assert.deepEqual(
      found,
      new Map([...members].map(([facet, seqs]) => [facet, seqs.sort((a, b) => b - a)])),
    );
  }
}

const folders = [null, 'a', 'a/b'];
const tags = ['red', 'green', 'blue', 'rare'];
const facets = [
  typeFacet('image'),
  typeFacet('video'),
  folderFacet('a'),
  folderFacet('a/b'),
  ...tags.map(tagFacet),
  tagFacet('none'),
];
const anyLook = fc.record({
  kind: fc.constantFrom('image' as const, 'image' as const, 'video' as const),
  folder: fc.constantFrom(...folders),
  tags: fc.subarray(tags),
});
/** How far the next object lies from the one before: mostly beside it, often at the edge of a block, sometimes far off. */
const distance = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: 1, max: 3 }).map((by) => (seq: number) => seq + by) },
  {
    weight: 3,
    arbitrary: fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: -2, max: 1 })).map(
      ([blocks, by]) =>
        (seq: number) =>
          Math.max(seq + 1, (Math.floor(seq / blockSize) + blocks) * blockSize + by),
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom(100_000, 2 ** 31, 2 ** 40).map((by) => (seq: number) => seq + by) },
);
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('put' as const), next: distance, look: anyLook }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('change' as const), which: fc.nat(), look: anyLook }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('delete' as const), which: fc.nat() }) },
);
const someFacets = fc.subarray(facets, { maxLength: 3 });
const anyQuery = fc.record({
  facets: someFacets,
  take: fc.constantFrom(1, 2, 3, 7, 100),
  skip: fc.constantFrom(0, 0, 1, 2, 5, 13, 1000),
  /** Around which of the objects, or at the edge of its block. */
  before: fc.option(fc.record({ which: fc.nat(), by: fc.integer({ min: -1, max: 1 }), edge: fc.boolean() })),
});

describe('listings', () => {
  let temp: TempDatabase;
  before(async () => {
    temp = await openTempDatabase();
  });
  after(() => temp[Symbol.asyncDispose]());
  const newLibrary = async (): Promise<Library> =>
    new Library(temp.database, await newTestAccount(temp.database));

  test('equal those of a plain list, after any uploads, changes and deletions', async () => {
    const queries = fc.array(anyQuery, { minLength: 20, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 50 }), queries, async (steps, asked) => {
        const library = await newLibrary();
        let newest = 0;
        for (const each of steps) {
          const seqs = [...library.rows.keys()];
          if (each.do === 'put') library.put((newest = each.next(newest)), each.look);
          else if (seqs.length === 0) continue;
          else if (each.do === 'change') library.change(seqs[each.which % seqs.length] as number, each.look);
          else library.delete(seqs[each.which % seqs.length] as number);
        }
        await library.settled();
        await library.assertTables();
        const seqs = [...library.rows.keys(), 1];
        for (const { before: around, ...query } of asked) {
          const seq = around && (seqs[around.which % seqs.length] as number);
          const edge = around?.edge && seq !== null ? Math.ceil(seq / blockSize) * blockSize : seq;
          const before = around && edge !== null ? Math.max(0, edge + around.by) : undefined;
          await library.assertPage({ ...query, before });
        }
        for (const take of [1, 3, 100]) await library.assertWalks(asked[0]?.facets ?? [], take);
      }),
      { numRuns: 100 },
    );
  });

  test('are right in a library dense enough for bitmaps, at every page and around every block', async () => {
    const library = await newLibrary();
    // 700 objects over the edge of two blocks, and some in a block far away.
    const seqs = [
      ...Array.from({ length: 700 }, (_, index) => 3700 + index),
      50 * blockSize,
      50 * blockSize + 9,
    ];
    for (const seq of seqs)
      library.put(seq, {
        kind: seq % 5 === 0 ? 'video' : 'image',
        folder: seq % 2 === 0 ? 'a' : null,
        tags: [...(seq % 3 === 0 ? ['red'] : []), ...(seq % 100 === 0 ? ['rare'] : []), 'green'],
      });
    await library.settled();
    await library.assertTables();
    const filters = [
      [],
      [tagFacet('green')],
      [tagFacet('rare')],
      [tagFacet('red'), folderFacet('a')],
      [tagFacet('green'), tagFacet('red'), typeFacet('video')],
      [tagFacet('red'), tagFacet('none')],
    ];
    for (const filter of filters) {
      for (const take of [10, 99, 100]) await library.assertWalks(filter, take);
      const edges = [0, 1, 3700, 3701, 4095, 4096, 4097, 4399, 4400, 50 * blockSize, 51 * blockSize, 1e12];
      for (const before of edges)
        for (const skip of [0, 5, 300]) await library.assertPage({ facets: filter, skip, take: 10, before });
    }
    for (const seq of seqs) if (seq % 7 !== 0) library.delete(seq);
    await library.settled();
    await library.assertTables();
    for (const filter of filters) await library.assertWalks(filter, 10);
  });

  test('take more facets than can be joined at once', async () => {
    const library = await newLibrary();
    const many = Array.from({ length: 100 }, (_, index) => `tag ${index}`);
    // Each lacks one of them, so that none may be overlooked; two lack none.
    many.forEach((lacking, index) =>
      library.put(index + 1, { kind: 'image', folder: 'a', tags: many.filter((tag) => tag !== lacking) }),
    );
    library.put(blockSize, { kind: 'image', folder: 'a', tags: many });
    library.put(9 * blockSize, { kind: 'image', folder: 'a', tags: many });
    await library.settled();
    for (const count of [15, 16, 17, 31, 32, 33, 80, 99, 100])
      await library.assertPage({
        facets: [...many.slice(0, count).map(tagFacet), folderFacet('a')],
        skip: 0,
        take: 100,
      });
  });

  test('of an empty library, and of one that was emptied, are empty', async () => {
    const library = await newLibrary();
    await library.assertPage({ facets: [], skip: 0, take: 10 });
    library.put(5, { kind: 'image', folder: 'a', tags: ['red'] });
    library.delete(5);
    await library.settled();
    await library.assertTables();
    for (const filter of [[], [tagFacet('red')], [tagFacet('red'), folderFacet('a')]])
      await library.assertPage({ facets: filter, skip: 0, take: 10 });
  });

  test('of one account show nothing of another', async () => {
    const [mine, other] = [await newLibrary(), await newLibrary()];
    mine.put(1, { kind: 'image', folder: 'a', tags: ['red'] });
    other.put(1, { kind: 'image', folder: 'a', tags: ['red', 'green'] });
    other.put(2, { kind: 'image', folder: 'a', tags: ['red'] });
    await mine.settled();
    await other.settled();
    for (const filter of [[], [tagFacet('red')], [tagFacet('green')], [tagFacet('red'), folderFacet('a')]]) {
      await mine.assertPage({ facets: filter, skip: 0, take: 10 });
      await other.assertPage({ facets: filter, skip: 0, take: 10 });
    }
  });
});
