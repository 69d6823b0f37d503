// Finds the objects of one page of a listing, and how many there are, from facet blocks alone: newest first, any number
// of facets that must all hold, by page number or after a cursor.
import { type RawBuilder, sql } from 'kysely';
import {
  blockSize,
  commonMembers,
  countMembers,
  decodePlaces,
  type Places,
  placesDescending,
} from '../lib/block-members.ts';
import type { Database } from '../platform/database/database.ts';
import { allFacet } from './facets.ts';

/** An object can carry a hundred tags; planning a join of sixty tables alone would take a quarter of a second. */
const maxJoined = 16;
const nobody = new Uint8Array();

export type PageQuery = {
  accountId: string;
  /** Every one must hold; none means all objects. */
  facets: readonly string[];
  skip: number;
  take: number;
  /** Only objects older than this number. */
  before?: number | undefined;
};
/** `seqs` names the objects; `total` counts all that match, whatever page was asked for. */
export type Page = { seqs: number[]; total: number };

type Block = { block: number; count: number; members: Uint8Array };

export async function findPage(database: Database, query: PageQuery): Promise<Page> {
  const facets = query.facets.length > 0 ? query.facets : [allFacet];
  const counts = await countsOf(database, query.accountId, facets);
  if (!counts) return { seqs: [], total: 0 };
  const [rarest, ...others] = counts;
  if (!rarest) return { seqs: [], total: 0 };
  if (others.length > 0) {
    const blocks = await commonBlocks(
      database,
      query.accountId,
      rarest.facet,
      others.map(({ facet }) => facet),
    );
    return { seqs: take(blocks, query), total: blocks.reduce((sum, { count }) => sum + count, 0) };
  }
  const located = await locate(database, query, rarest.facet);
  return { seqs: take(located.blocks, { ...query, skip: located.skip }), total: rarest.count };
}

/** All objects that have every one of these facets, by their blocks: for whoever ranks them in another order. */
export async function findPlaces(
  database: Database,
  accountId: string,
  facets: readonly string[],
): Promise<Map<number, Places>> {
  const counts = await countsOf(database, accountId, facets);
  const [rarest, ...others] = counts ?? [];
  if (!rarest) return new Map();
  const blocks = await commonBlocks(
    database,
    accountId,
    rarest.facet,
    others.length > 0 ? others.map(({ facet }) => facet) : [rarest.facet],
  );
  return new Map(blocks.map(({ block, members }) => [block, decodePlaces(members)]));
}

/** Rarest first; null when one of them matches nothing. */
async function countsOf(database: Database, accountId: string, facets: readonly string[]) {
  const rows = await database.read
    .selectFrom('facets')
    .select(['facet', 'count'])
    .where('account_id', '=', accountId)
    .where('facet', 'in', facets)
    .execute();
  return rows.length < new Set(facets).size ? null : rows.sort((left, right) => left.count - right.count);
}

/** For one facet the counts of the blocks say where the page begins; only the blocks it touches are read. */
async function locate(
  database: Database,
  query: PageQuery,
  facet: string,
): Promise<{ blocks: Block[]; skip: number }> {
  const ofFacet = database.read
    .selectFrom('facet_blocks')
    .where('account_id', '=', query.accountId)
    .where('facet', '=', facet);
  const newest =
    query.before === undefined ? Number.MAX_SAFE_INTEGER : Math.floor((query.before - 1) / blockSize);
  const counts = await ofFacet
    .select(['block', 'count'])
    .where('block', '<=', newest)
    .orderBy('block', 'desc')
    .execute();
  let { skip } = query;
  let first = 0;
  // The newest block may be cut by the cursor, so its count does not tell how many of it still follow.
  const cut = query.before === undefined ? -1 : 0;
  while (first < counts.length && first !== cut && (counts[first]?.count ?? 0) <= skip)
    skip -= counts[first++]?.count ?? 0;
  let last = first;
  for (let found = -skip; last < counts.length && found < query.take; last++)
    found += last === cut ? 0 : (counts[last]?.count ?? 0);
  if (first === last) return { blocks: [], skip: 0 };
  const rows = await ofFacet
    .select(['block', 'count', 'members'])
    .where('block', '<=', counts[first]?.block ?? 0)
    .where('block', '>=', counts[last - 1]?.block ?? 0)
    .orderBy('block', 'desc')
    .execute();
  return { blocks: rows, skip };
}

/** For several, every block of the rarest is cut down to what the others have too. */
async function commonBlocks(
  database: Database,
  accountId: string,
  rarest: string,
  others: readonly string[],
): Promise<Block[]> {
  const groups: Promise<Map<number, Uint8Array>>[] = [];
  for (let start = 0; start < others.length; start += maxJoined)
    groups.push(joinBlocks(database, accountId, rarest, others.slice(start, start + maxJoined)));
  const [first = new Map<number, Uint8Array>(), ...rest] = await Promise.all(groups);
  return [...first].flatMap(([block, ofFirst]) => {
    const members = rest.reduce((left, group) => commonMembers(left, group.get(block) ?? nobody), ofFirst);
    const count = countMembers(members);
    return count > 0 ? [{ block, count, members }] : [];
  });
}

/** By block number, newest first: what the rarest and all the others have in common. */
async function joinBlocks(
  database: Database,
  accountId: string,
  rarest: string,
  others: readonly string[],
): Promise<Map<number, Uint8Array>> {
  const columns: RawBuilder<unknown>[] = others.map((_, i) => sql.raw(`o${i}.members as m${i}`));
  const joins = others.map(
    (facet, i) =>
      sql`join facet_blocks ${sql.raw(`o${i}`)} on ${sql.raw(`o${i}`)}.account_id = d.account_id
        and ${sql.raw(`o${i}`)}.facet = ${facet} and ${sql.raw(`o${i}`)}.block = d.block`,
  );
  const { rows } = await sql<{ block: number; members: Uint8Array } & Record<string, Uint8Array>>`
    select d.block as block, d.members as members, ${sql.join(columns)} from facet_blocks d ${sql.join(joins, sql` `)}
    where d.account_id = ${accountId} and d.facet = ${rarest} order by d.block desc`.execute(database.read);
  return new Map(
    rows.map((row) => [
      row.block,
      others.reduce((left, _, i) => commonMembers(left, row[`m${i}`] as Uint8Array), row.members),
    ]),
  );
}

function take(
  blocks: readonly Block[],
  { skip, take: wanted, before }: Pick<PageQuery, 'skip' | 'take' | 'before'>,
): number[] {
  const seqs: number[] = [];
  let left = skip;
  for (const { block, count, members } of blocks) {
    if (seqs.length >= wanted) break;
    const start = block * blockSize;
    const cut = before !== undefined && before < start + blockSize;
    if (!cut && count <= left) {
      left -= count;
      continue;
    }
    let found = placesDescending(decodePlaces(members)).map((place) => start + place);
    if (cut) found = found.filter((seq) => seq < before);
    seqs.push(...found.slice(left, left + wanted - seqs.length));
    left = Math.max(0, left - found.length);
  }
  return seqs;
}
