// Keeps, in the transaction of every change, what listings need: for each facet of an account (all, type, folder, tag) a
// count, and blocks of 4096 consecutive objects saying which of them have it. Pages and totals then cost the same at any depth.
import {
  blockSize,
  clearPlace,
  countPlaces,
  decodePlaces,
  emptyPlaces,
  encodePlaces,
  setPlace,
} from '../lib/block-members.ts';
import type { Tx } from '../platform/database/database.ts';
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

export async function changeFacets(
  tx: Tx,
  object: Pick<ObjectRow, 'account_id' | 'seq'>,
  change: { add?: readonly string[]; remove?: readonly string[] },
): Promise<void> {
  const added = change.add ?? [];
  const removed = change.remove ?? [];
  if (added.length + removed.length === 0) return;
  await Promise.all([
    changeBlocks(tx, object, added, removed),
    changeCounts(tx, object.account_id, added, 1),
    changeCounts(tx, object.account_id, removed, -1),
  ]);
}

async function changeCounts(tx: Tx, accountId: string, facets: readonly string[], by: 1 | -1): Promise<void> {
  if (facets.length === 0) return;
  await tx
    .insertInto('facets')
    .values(facets.map((facet) => ({ account_id: accountId, facet, count: by })))
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'facet']).doUpdateSet((eb) => ({ count: eb('facets.count', '+', by) })),
    )
    .execute();
  if (by > 0) return;
  await tx
    .deleteFrom('facets')
    .where('account_id', '=', accountId)
    .where('facet', 'in', facets)
    .where('count', '<=', 0)
    .execute();
}

async function changeBlocks(
  tx: Tx,
  object: Pick<ObjectRow, 'account_id' | 'seq'>,
  added: readonly string[],
  removed: readonly string[],
): Promise<void> {
  const block = Math.floor(object.seq / blockSize);
  const place = object.seq % blockSize;
  const rows = await tx
    .selectFrom('facet_blocks')
    .select(['facet', 'members'])
    .where('account_id', '=', object.account_id)
    .where('facet', 'in', [...added, ...removed])
    .where('block', '=', block)
    .execute();
  const known = new Map(rows.map((row) => [row.facet, row.members]));
  const changed = [
    ...added.map((facet) => ({ facet, change: setPlace })),
    ...removed.map((facet) => ({ facet, change: clearPlace })),
  ].map(({ facet, change }) => {
    const members = known.get(facet);
    const places = members ? decodePlaces(members) : emptyPlaces();
    change(places, place);
    return {
      account_id: object.account_id,
      facet,
      block,
      count: countPlaces(places),
      members: encodePlaces(places),
    };
  });
  const full = changed.filter((row) => row.count > 0);
  const empty = changed.filter((row) => row.count === 0).map((row) => row.facet);
  if (full.length > 0) {
    await tx
      .insertInto('facet_blocks')
      .values(full)
      .onConflict((conflict) =>
        conflict.columns(['account_id', 'facet', 'block']).doUpdateSet((eb) => ({
          count: eb.ref('excluded.count'),
          members: eb.ref('excluded.members'),
        })),
      )
      .execute();
  }
  if (empty.length === 0) return;
  await tx
    .deleteFrom('facet_blocks')
    .where('account_id', '=', object.account_id)
    .where('facet', 'in', empty)
    .where('block', '=', block)
    .execute();
}
