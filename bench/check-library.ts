// Compares listings with what a plain search through all rows finds, so that no figure comes from a wrong answer.
import Sqlite from 'better-sqlite3';
import { tagFacet } from '../src/objects/facets.ts';
import { fewThousand, manyThousand, oneFolder } from './library-shape.ts';
import type { Service } from './support/service.ts';

const pageSize = 10;
const largestTotal = 10_000;

type Filter = { tags: readonly string[]; folder?: string };
const filters: { filter: Filter; pages: number[] }[] = [
  { filter: { tags: [] }, pages: [1, 77_777] },
  { filter: { tags: fewThousand }, pages: [1, 100, 200] },
  { filter: { tags: manyThousand }, pages: [1, 3000] },
  { filter: { tags: [...manyThousand, 'beach'] }, pages: [2] },
  { filter: { tags: ['roll-11'], folder: oneFolder }, pages: [1, 3] },
  { filter: { tags: ['roll-42'] }, pages: [1, 400] },
];

/** Throws when one listing is not what the rows say. */
export async function checkLibrary(service: Service, databaseFile: string): Promise<void> {
  const sqlite = new Sqlite(databaseFile, { readonly: true });
  try {
    for (const { filter, pages } of filters) {
      const expected = matching(sqlite, filter);
      for (const page of pages) await checkPage(service, filter, page, expected);
    }
    checkCounts(sqlite);
  } finally {
    sqlite.close();
  }
}

/** Ids of all objects that match, newest first. */
function matching(sqlite: Sqlite.Database, { tags, folder }: Filter): string[] {
  const conditions = [
    ...tags.map(() => 'exists (select 1 from json_each(objects.tags) where value = ?)'),
    ...(folder === undefined ? [] : ['folder = ?']),
  ];
  const where = conditions.length > 0 ? `where ${conditions.join(' and ')}` : '';
  return sqlite
    .prepare(`select object_id from objects ${where} order by seq desc`)
    .pluck()
    .all(...tags, ...(folder === undefined ? [] : [folder])) as string[];
}

async function checkPage(service: Service, filter: Filter, page: number, expected: string[]): Promise<void> {
  const query = new URLSearchParams({ page: String(page), page_size: String(pageSize) });
  for (const tag of filter.tags) query.append('tags', tag);
  if (filter.folder !== undefined) query.set('folder', filter.folder);
  const path = `/get/?${query.toString()}`;
  const response = await service.call(path);
  const { objects } = (await response.json()) as { objects: string[] };
  const listed = objects.map((url) => url.split('/').at(-2)).join();
  const wanted = expected.slice((page - 1) * pageSize, page * pageSize).join();
  if (listed !== wanted) throw new Error(`${path} listed ${listed}; the rows say ${wanted}`);
  const isFiltered = filter.tags.length > 0 || filter.folder !== undefined;
  const total = isFiltered && expected.length > largestTotal ? null : String(expected.length);
  if (response.headers.get('x-total-count') !== total)
    throw new Error(`${path} counted ${response.headers.get('x-total-count')}; the rows say ${total}`);
}

function checkCounts(sqlite: Sqlite.Database): void {
  const counted = sqlite
    .prepare(
      `select value as tag, count(*) as count from objects, json_each(objects.tags) group by value order by value`,
    )
    .all() as { tag: string; count: number }[];
  const ofTag = sqlite.prepare('select count from facets where facet = ?').pluck();
  const ofBlocks = sqlite.prepare('select sum(count) from facet_blocks where facet = ?').pluck();
  for (const { tag, count } of counted) {
    const kept = [ofTag.get(tagFacet(tag)), ofBlocks.get(tagFacet(tag))];
    if (kept.some((value) => value !== count))
      throw new Error(`The tag ${tag} is counted ${kept.join(' and ')}; the rows say ${count}`);
  }
}
