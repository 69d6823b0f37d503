// Proof that a request left nothing behind: staging empty, every original on disk named by a row and every row backed by
// an original, use of storage equal to the sum of the rows, listings counting the same, and a good upload still working.
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { countedSeconds } from '../../src/accounts/quota.ts';
import { eventually } from './eventually.ts';
import { picture } from './pictures.ts';
import type { TestServer } from './server.ts';

const small = picture(8, 8, 'png');

/** Runs the attempt and proves that afterwards everything is as it was before. */
export async function leavesNothing<T>(server: TestServer, attempt: () => Promise<T>): Promise<T> {
  const before = await rowsOf(server);
  const outcome = await attempt();
  await eventually(async () => {
    assert.deepEqual(await rowsOf(server), before);
    await assertConsistent(server);
  });
  return outcome;
}

export async function assertClean(server: TestServer): Promise<void> {
  await eventually(() => assertConsistent(server));
  const { status, body } = await server.upload(await small);
  assert.equal(status, 200, 'the next good upload works');
  assert.equal((await server.json(`/delete/${body.object_id}`, { method: 'DELETE' })).status, 200);
}

/** What is in staging, on disk, in the rows and in the counts fits together. */
export async function assertConsistent(server: TestServer): Promise<void> {
  const { objects, accounts } = await rowsOf(server);
  assert.deepEqual(await staged(server), [], 'staging is empty');
  const keys = await keysIn(server);
  const originals = keys.map((key) => basename(key)).filter((name) => /^[0-9a-f]{24}$/.test(name));
  const generations = objects.map(({ generation }) => generation).sort();
  assert.deepEqual(originals.sort(), generations, 'originals on disk are those of the rows');
  const films = objects.filter((row) => row.duration_ms !== null).map(({ generation }) => generation);
  const folders = new Set(keys.flatMap((key) => /\/([0-9a-f]{24})\.film\//.exec(key)?.[1] ?? []));
  assert.deepEqual([...folders].sort(), films.sort(), 'files of films are those of the rows');
  const facets = await server.app.core.database.read
    .selectFrom('facets')
    .select(['account_id', 'count'])
    .where('facet', '=', 'all')
    .execute();
  for (const account of accounts) {
    const own = objects.filter(({ account_id: owner }) => owner === account.account_id);
    const bytes = sum(own.map((row) => (row.duration_ms === null ? row.size_bytes : 0)));
    const seconds = sum(own.map((row) => (row.duration_ms === null ? 0 : countedSeconds(row.duration_ms))));
    const listed = facets.find(({ account_id: owner }) => owner === account.account_id)?.count ?? 0;
    assert.deepEqual(
      {
        used: account.storage_used_bytes,
        seconds: account.video_seconds_used,
        count: account.object_count,
        listed,
      },
      { used: bytes, seconds, count: own.length, listed: own.length },
    );
  }
}

async function rowsOf({ app }: TestServer) {
  const { read } = app.core.database;
  return {
    objects: await read
      .selectFrom('objects')
      .select(['generation', 'account_id', 'size_bytes', 'duration_ms'])
      .orderBy('generation')
      .execute(),
    accounts: await read
      .selectFrom('accounts')
      .select(['account_id', 'storage_used_bytes', 'video_seconds_used', 'object_count'])
      .orderBy('account_id')
      .execute(),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

/** Asked of the stores themselves, wherever they keep them. */
async function keysIn({ app }: TestServer): Promise<string[]> {
  const stores = Object.values(app.core.stores);
  const lists = await Promise.all(stores.map((storage) => Array.fromAsync(storage.list(''))));
  return lists.flat().map(({ key }) => key);
}

async function staged({ dataDir }: TestServer): Promise<string[]> {
  const folders = ['files', 'storage', 'copies'].map((name) => join(dataDir, name, '.staging'));
  return (await Promise.all(folders.map((folder) => readdir(folder).catch(() => [])))).flat();
}
