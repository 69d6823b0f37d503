import assert from 'node:assert/strict';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { manifestKey, originalKey } from '../../src/objects/object-keys.ts';
import { sweepOrphans } from '../../src/objects/sweep.ts';
import type { ObjectRow } from '../../src/objects/tables.ts';
import { picture } from '../support/pictures.ts';
import { operatorKey, startServer, type TestServer } from '../support/server.ts';
import { runCli, runJson } from './run-cli.ts';
import { waitingJobs } from '../support/waiting-jobs.ts';

let dataDir: string;
let settings: Record<string, string>;
before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tintype-rebuild-'));
  // The same address before and after, so that answers can be compared as they are.
  settings = { DATA_DIR: dataDir, BASE_URL: 'http://tintype.test' };
});
after(() => rm(dataDir, { recursive: true, force: true }));

const start = (): Promise<TestServer> => startServer(settings, { dataDir });

async function removeDatabase(): Promise<void> {
  for (const suffix of ['', '-wal', '-shm']) await rm(join(dataDir, `tintype.db${suffix}`), { force: true });
}

async function jobsDone({ app }: TestServer): Promise<void> {
  const left = () => waitingJobs(app.core.database).limit(1).execute();
  while ((await left()).length > 0) await new Promise((resolve) => setTimeout(resolve, 50));
}

async function send(server: TestServer, key: string, method: string, path: string, body?: unknown) {
  const json =
    body === undefined ? {} : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } };
  const answer = await server.json(path, { key, method, ...json });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
}

/** Everything an account sees of itself. */
async function viewOf(server: TestServer, key: string) {
  const read = async (path: string) => (await server.json(path, { key })).body;
  const view = {
    user: await read('/user/'),
    pages: [await read('/get/?view=full&page_size=40'), await read('/get/?view=full&page_size=40&page=2')],
    tags: await read('/tags/'),
    folders: await read('/folders/'),
    both: await read('/get/tags?tags=even,t1'),
    folder: await read('/get/?folder=f2'),
  };
  return view;
}

function bytesAt(server: TestServer, paths: readonly string[]): Promise<Buffer[]> {
  return Promise.all(
    paths.map(async (path) => {
      const response = await server.call(path, { key: null });
      assert.equal(response.status, 200);
      return Buffer.from(await response.arrayBuffer());
    }),
  );
}

async function fill(server: TestServer, key: string, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    const fields = {
      tags: [`t${index % 3}`, index % 2 ? 'odd' : 'even', `ünï ${index}`].join(','),
      ...(index % 4 ? { folder: `f${index % 4}` } : {}),
      ...(index % 5 ? {} : { object: `mine-${index}` }),
    };
    const { status } = await server.upload(await picture(20 + index, 16), fields, { key });
    assert.equal(status, 200);
    if (index === count / 2) await send(server, key, 'PATCH', '/user/', { storage_backend: 'storage' });
  }
  await send(server, key, 'POST', '/update/mine-0', { tags: ['changed'], folder: 'f9' });
  await send(server, key, 'POST', '/update/mine-5', { tags: [] });
  for (const id of ['mine-10', 'mine-15', 'mine-20']) await send(server, key, 'DELETE', `/delete/${id}`);
  const again = await server.upload(await picture(99, 9), { object: 'mine-15', tags: 'again' }, { key });
  assert.equal(again.status, 200);
}

test('a lost database comes back from the files: all that accounts see, count and serve is as it was', async () => {
  await using first = await start();
  const made = await send(first, operatorKey, 'POST', '/accounts/', {
    email: 'two@example.com',
    tier: 'pro',
    storage_limit: 2048.5,
  });
  const second = made.api_key as string;
  await fill(first, operatorKey, 40);
  await fill(first, second, 24);
  const presets = { presets: { small: 'w-10' }, transform_policy: 'signed', openai_api_key: 'sk-x' };
  await send(first, second, 'PATCH', '/user/', presets);
  const extra = await send(first, second, 'POST', '/keys/', { name: 'reader', scopes: ['read'] });
  const revoked = await send(first, second, 'POST', '/keys/', { name: 'gone' });
  await send(first, second, 'DELETE', `/keys/${revoked.key_id}`);
  await jobsDone(first);
  const keys = [operatorKey, second];
  const before = await Promise.all(keys.map((key) => viewOf(first, key)));
  const originals = before.flatMap(({ pages }) =>
    pages.flatMap(({ items }) => items.map((item: { original: string }) => new URL(item.original).pathname)),
  ) as string[];
  const bytesBefore = await bytesAt(first, originals);

  const refused = await runCli(['rebuild', '--force'], settings);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, new RegExp(`in use by another Tintype server: process ${process.pid} at`));
  await first.stop();

  await removeDatabase();
  const report = await runJson(['rebuild'], settings);
  assert.deepEqual(report, { accounts: 2, keys: 3, objects: 60, problems: [], old_database: null });

  await using server = await start();
  assert.deepEqual(await Promise.all(keys.map((key) => viewOf(server, key))), before);
  assert.equal(originals.length, 60);
  assert.deepEqual(await bytesAt(server, originals), bytesBefore);
  assert.equal((await server.call('/get/mine-10', { key: operatorKey })).status, 404);
  assert.equal((await server.call('/user/', { key: extra.api_key })).status, 200);
  assert.equal((await server.call('/user/', { key: revoked.api_key })).status, 401);
  const next = await server.upload(await picture(30, 30), {}, { key: second });
  const newest = (await server.json('/get/?view=full', { key: second })).body.items[0];
  assert.equal(newest.object_id, next.body.object_id);
  await jobsDone(server);
});

test('what is damaged is named and left out, the rest is restored, and no file is touched', async () => {
  const server = await start();
  const rows = await server.app.core.database.read
    .selectFrom('objects')
    .selectAll()
    .orderBy('generation')
    .execute();
  await server.stop();
  const path = (row: ObjectRow, key: typeof originalKey): string =>
    join(dataDir, row.backend, key(row.bucket_id, row.generation));
  const inFiles = rows.filter((row) => row.backend === 'files');
  const [gone, cut, orphan, older, newer, late, rival] = inFiles as [
    ObjectRow,
    ObjectRow,
    ObjectRow,
    ObjectRow,
    ObjectRow,
    ObjectRow,
    ObjectRow,
  ];
  await rm(path(gone, originalKey));
  await writeFile(path(cut, manifestKey), (await readFile(path(cut, manifestKey))).subarray(0, 50));
  await rm(path(orphan, manifestKey));
  const claim = async (row: ObjectRow, change: object): Promise<void> =>
    writeFile(path(row, manifestKey), JSON.stringify({ tintype: 1, object: { ...row, ...change } }));
  await claim(newer, { object_id: older.object_id, caption_language: 'de' });
  await claim(rival, { seq: late.seq });

  const checked = await runCli(['rebuild', '--check', '--json'], settings);
  assert.equal(checked.code, 1);
  const { differences, ...report } = JSON.parse(checked.stdout);
  const kinds = report.problems.map((problem: { kind: string; where: string }) => [
    problem.kind,
    problem.where.split('/').at(-1),
  ]);
  assert.deepEqual(kinds.sort(), [
    ['damaged_manifest', cut.generation],
    ['duplicate_object', older.generation],
    ['missing_original', gone.generation],
    ['original_without_manifest', orphan.generation],
    ['renumbered_object', rival.generation],
    ['unknown_field', 'objects.caption_language'],
  ]);
  assert.equal(report.objects, rows.length - 4);
  const [, , objects] = differences;
  assert.deepEqual(objects.onlyInDatabase, [gone, cut, orphan, older].map((row) => row.generation).sort());
  assert.deepEqual(objects.different, [
    { id: newer.generation, columns: ['object_id'] },
    { id: rival.generation, columns: ['seq'] },
  ]);

  const refused = await runCli(['rebuild'], settings);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /has 2 accounts\. .*--force/);
  const forced = await runJson(['rebuild', '--force'], settings);
  assert.equal(forced.objects, rows.length - 4);
  assert.ok((await readFile(forced.old_database)).length > 0);

  await using again = await start();
  const { database, stores } = again.app.core;
  const old = { stagedMs: 0, orphanMs: 0 };
  assert.equal(await sweepOrphans(database, stores, new AbortController().signal, old), 0);
  await readFile(path(orphan, originalKey));
});

test('no server starts beside the files of a lost database, and none of them is touched', async () => {
  await removeDatabase();
  const before = await readdir(dataDir, { recursive: true });
  await assert.rejects(start(), /Run "tintype rebuild"/);
  assert.deepEqual(await readdir(dataDir, { recursive: true }), before);
  await runJson(['rebuild'], settings);
  await using again = await start();
  assert.ok((await again.json('/user/', {})).body.object_count > 30);
});

test('files of two installations that used the same key come together, and the older account keeps it', async () => {
  const other = await startServer();
  await jobsDone(other);
  const { body: account } = await other.json('/user/');
  const bucketFolder = join('files', account.bucket_id);
  await cp(join(other.dataDir, bucketFolder), join(dataDir, bucketFolder), { recursive: true });
  await other.stop();

  const report = await runJson(['rebuild', '--force'], settings);
  const kinds = new Set(report.problems.map((problem: { kind: string }) => problem.kind));
  assert.ok(kinds.has('duplicate_key'));
  await using again = await start();
  assert.ok((await again.json('/user/')).body.object_count > 30);
});
