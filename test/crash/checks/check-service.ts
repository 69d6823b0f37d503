// Everything the service says of itself, against the model: each object and its bytes, listings by cursor, page and tag,
// the names of tags and folders, the use of storage, and that what was deleted is gone from every address.
import assert from 'node:assert/strict';
import type { Api } from '../api.ts';
import type { Living, Model } from '../model.ts';
import { allTags, sha256 } from '../uploads.ts';
import { expectedItem, shown } from './settle.ts';
import { type Item, walk } from './walk.ts';

const atOnce = 16;
const deletedLookedAt = 25;
const publicNames = ['original', 'original.webp', 'h-200_w-200.webp'];

/** The model must have no uncertain object left. */
export async function checkService(api: Api, model: Model): Promise<void> {
  const living = model.alive();
  assert.deepEqual(model.uncertain(), []);
  const byCursor = await walk(api, { cursor: '', page_size: '100' });
  assert.deepEqual(sorted(byCursor.map(shown)), sorted(living.map(expectedItem)));
  const ids = byCursor.map((item) => item.object_id);
  assert.deepEqual(idsOf(await walk(api, { page_size: '67' })), ids, 'pages and cursor differ');
  for (const tag of allTags) {
    const withTag = byCursor.filter((item) => item.tags.includes(tag));
    assert.deepEqual(idsOf(await walk(api, { page_size: '50', tags: tag })), idsOf(withTag), `tag ${tag}`);
  }
  await checkNames(api, living);
  const { bucket_id: bucketId } = await checkUse(api, living);
  await forEach(living, (object) => checkObject(api, bucketId, object));
  await forEach(model.deletedIds().slice(-deletedLookedAt), (id) => checkDeleted(api, bucketId, id));
}

async function checkNames(api: Api, living: Living[]): Promise<void> {
  type Names = Record<'tags' | 'folders', { name: string; count: number }[]>;
  const { tags } = await api.askJson<Names>('/tags/');
  const { folders } = await api.askJson<Names>('/folders/');
  const allFolders = living.flatMap(([, { folder }]) => folder ?? []);
  assert.deepEqual(toCounts(tags), countsOf(living.flatMap(([, state]) => state.tags)), 'counts of tags');
  assert.deepEqual(toCounts(folders), countsOf(allFolders), 'counts of folders');
}

async function checkUse(api: Api, living: Living[]): Promise<{ bucket_id: string }> {
  type User = { bucket_id: string; storage_used: number; object_count: number };
  const user = await api.askJson<User>('/user/');
  const bytes = living.reduce((sum, [, { sizeBytes }]) => sum + sizeBytes, 0);
  assert.equal(user.storage_used, Math.round((bytes / 1024) * 100) / 100, 'storage_used drifted');
  assert.equal(user.object_count, living.length, 'object_count drifted');
  return user;
}

async function checkObject(api: Api, bucketId: string, [id, state]: Living): Promise<void> {
  const item = await api.askJson<Item>(`/get/${id}`);
  assert.deepEqual(shown(item), expectedItem([id, state]));
  const { bytes } = await api.ask(`/files/${bucketId}/${id}/original`);
  assert.equal(sha256(bytes), state.sha256, `the bytes of ${id}`);
}

async function checkDeleted(api: Api, bucketId: string, id: string): Promise<void> {
  const paths = [`/get/${id}`, ...publicNames.map((name) => `/files/${bucketId}/${id}/${name}`)];
  for (const path of paths) assert.equal((await api.send(path))?.status, 404, `${path} was deleted`);
}

const idsOf = (items: Item[]): string[] => items.map((item) => item.object_id);

function sorted(items: Item[]): Item[] {
  return items.toSorted((left, right) => (left.object_id < right.object_id ? -1 : 1));
}

function countsOf(names: string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

function toCounts(rows: { name: string; count: number }[]): Record<string, number> {
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
}

async function forEach<T>(items: readonly T[], check: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  const worker = async (): Promise<void> => {
    for (const item of left) await check(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
