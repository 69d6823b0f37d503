// Keeps, in the transaction of every change, what listings need: for each facet of an account (all, type, folder, tag) a
// count, and blocks of 4096 consecutive objects saying which of them have it. Pages and totals then cost the same at any depth.
import { sql } from 'kysely';
import { blockSize } from '../lib/block-members.ts';
import type { Tx } from '../platform/database/database.ts';
import { runStatements, type Statement, statement } from '../platform/database/statement.ts';
import type { ObjectRow } from './tables.ts';

export const allFacet = 'all';
export const typeFacet = (kind: string): string => `type:${kind}`;
export const folderFacet = (folder: string): string => `folder:${folder}`;
export const tagFacet = (tag: string): string => `tag:${tag}`;

export function facetsOf(object: Pick<ObjectRow, 'kind' | 'folder' | 'tags'>): string[] {
  const tags = JSON.parse(object.tags) as string[];
  return [
    allFacet,
    typeFacet(object.kind),
    ...(object.folder === null ? [] : [folderFacet(object.folder)]),
    ...tags.map(tagFacet),
  ];
}

export type FacetChange = { add?: readonly string[]; remove?: readonly string[] };
/** `seq` is null for an object that takes the account's newest place in the same transaction. */
type PlacedObject = { account_id: string; seq: number | null };

export async function changeFacets(tx: Tx, object: PlacedObject, change: FacetChange): Promise<void> {
  await runStatements(tx, facetStatements(object, change));
}

export function facetStatements(
  { account_id, seq }: PlacedObject,
  { add = [], remove = [] }: FacetChange,
): Statement[] {
  return [
    ...add.flatMap((facet) => [addToBlock({ account_id, seq, facet }), addToCount({ account_id, facet })]),
    ...remove.flatMap((facet) => [
      takeFromBlock({ account_id, seq, facet }),
      dropEmptyBlock({ account_id, seq, facet }),
      takeFromCount({ account_id, facet }),
      dropEmptyCount({ account_id, facet }),
    ]),
  ];
}

const size = sql.lit(blockSize);

const addToBlock = statement<'account_id' | 'seq' | 'facet'>(
  (p) => sql`insert into facet_blocks (account_id, facet, block, count, members)
    select account_id, cast(${p('facet')} as text), seq / ${size}, 1, place_members(seq % ${size})
    from (select account_id, coalesce(cast(${p('seq')} as bigint), next_seq - 1) as seq
      from accounts where account_id = ${p('account_id')}) as placed
    where true
    on conflict (account_id, facet, block) do update set
      count = facet_blocks.count + 1, members = united_members(facet_blocks.members, excluded.members)`,
);

const takeFromBlock = statement<'account_id' | 'seq' | 'facet'>(
  (p) => sql`update facet_blocks
    set count = count - 1, members = members_without(members, place_members(cast(${p('seq')} as bigint) % ${size}))
    where account_id = ${p('account_id')} and facet = ${p('facet')} and block = cast(${p('seq')} as bigint) / ${size}`,
);

const dropEmptyBlock = statement<'account_id' | 'seq' | 'facet'>(
  (p) => sql`delete from facet_blocks where account_id = ${p('account_id')} and facet = ${p('facet')}
    and block = cast(${p('seq')} as bigint) / ${size} and count <= 0`,
);

const addToCount = statement<'account_id' | 'facet'>(
  (p) => sql`insert into facets (account_id, facet, count) values (${p('account_id')}, ${p('facet')}, 1)
    on conflict (account_id, facet) do update set count = facets.count + 1`,
);

const takeFromCount = statement<'account_id' | 'facet'>(
  (p) =>
    sql`update facets set count = count - 1 where account_id = ${p('account_id')} and facet = ${p('facet')}`,
);

const dropEmptyCount = statement<'account_id' | 'facet'>(
  (p) =>
    sql`delete from facets where account_id = ${p('account_id')} and facet = ${p('facet')} and count <= 0`,
);
