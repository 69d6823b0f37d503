// Walks a listing to its end through the Link headers, by pages or by cursor, and counts what X-Total-Count claims.
import assert from 'node:assert/strict';
import { type Api, json } from '../api.ts';

export type Item = {
  object_id: string;
  tags: string[];
  folder: string | null;
  size: number;
  original_file_name: string;
};
type ListingPage = { objects: string[]; urls: string[]; thumbnails: string[]; items: Item[] };

export async function walk(api: Api, query: Record<string, string>): Promise<Item[]> {
  const found: Item[] = [];
  let next: string | undefined = `/get/?${new URLSearchParams({ ...query, view: 'full' }).toString()}`;
  let total: string | null = null;
  while (next) {
    const answer = await api.ask(next);
    const { objects, items } = json<ListingPage>(answer);
    assert.deepEqual(
      objects.map((url) => url.split('/').at(-2)),
      items.map((item) => item.object_id),
    );
    found.push(...items);
    total = answer.headers.get('x-total-count');
    next = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
  }
  assert.equal(total, String(found.length), `X-Total-Count of ${JSON.stringify(query)}`);
  assert.equal(new Set(found.map((item) => item.object_id)).size, found.length, 'an object is listed twice');
  return found;
}
