import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { manifestKey, originalKey } from '../../src/objects/object-keys.ts';
import { sweepOrphans } from '../../src/objects/sweep.ts';
import type { ObjectRow } from '../../src/objects/tables.ts';
import { picture } from '../support/pictures.ts';
import { freePort, startServer, type TestServer } from '../support/server.ts';
import { runCli, runJson } from './run-cli.ts';

let dataDir: string;
let settings: Record<string, string>;
before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tintype-rebuild-'));
  const port = String(await freePort());
  // The same address before and after, so that answers can be compared as they are.
  settings = { DATA_DIR: dataDir, PORT: port, BASE_URL: `http://127.0.0.1:${port}` };
});
after(() => rm(dataDir, { recursive: true, force: true }));

const start = (): Promise<TestServer> => startServer(settings, { dataDir });

async function removeDatabase(): Promise<void> {
  for (const suffix of ['', '-wal', '-shm']) await rm(join(dataDir, `tintype.db${suffix}`), { force: true });
}

async function jobsDone({ app }: TestServer): Promise<void> {
  const left = () => app.core.database.read.selectFrom('jobs').select('job_id').limit(1).execute();
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
  const first = await start();
  const made = await send(first, 'operator-key-for-tests-000000', 'POST', '/accounts/', {
    email: 'two@example.com',
    tier: 'pro',
    storage_limit: 2048.5,
  });
  const operator = 'operator-key-for-tests-000000';
  const second = made.api_key as string;
  await fill(first, operator, 40);
  await fill(first, second, 24);
  const presets = { presets: { small: 'w-10' }, transform_policy: 'signed', openai_api_key: 'sk-x' };
  await send(first, second, 'PATCH', '/user/', presets);
  const extra = await send(first, second, 'POST', '/keys/', { name: 'reader', scopes: ['read'] });
  const revoked = await send(first, second, 'POST', '/keys/', { name: 'gone' });
  await send(first, second, 'DELETE', `/keys/${revoked.key_id}`);
  await jobsDone(first);
  const keys = [operator, second];
  const before = await Promise.all(keys.map((key) => viewOf(first, key)));
  const originals: string[] = before.flatMap((view) =>
    view.pages.flatMap((page) => page.items.map((item: { original: string }) => item.original)),
  );
  const bytesOf = async (server: TestServer, url: string) =>
    Buffer.from(await (await server.call(url, { key: null })).arrayBuffer());
  const bytesBefore = await Promise.all(originals.map((url) => bytesOf(first, url)));

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
  assert.deepEqual(await Promise.all(originals.map((url) => bytesOf(server, url))), bytesBefore);
  assert.equal((await server.call('/get/mine-10', { key: operator })).status, 404);
  assert.equal((await server.call('/user/', { key: extra.api_key })).status, 200);
  assert.equal((await server.call('/user/', { key: revoked.api_key })).status, 401);
  const next = await server.upload(await picture(30, 30), {}, { key: second });
  assert.equal(
    (await server.json('/get/', { key: second })).body.object_urls?.[0] ?? next.body.object_url,
    next.body.object_url,
  );
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
  const [gone, cut, orphan, twin, elder] = rows.filter((row) => row.backend === 'files') as [
    ObjectRow,
    ObjectRow,
    ObjectRow,
    ObjectRow,
    ObjectRow,
  ];
  await rm(path(gone, originalKey));
  await writeFile(path(cut, manifestKey), (await readFile(path(cut, manifestKey))).subarray(0, 50));
  await rm(path(orphan, manifestKey));
  // Two with one id and one place in the order: the newer one keeps the id.
  const claim = { tintype: 1, object: { ...elder, object_id: twin.object_id, caption_language: 'de' } };
  await writeFile(path(elder, manifestKey), JSON.stringify(claim));

  const checked = await runCli(['rebuild', '--check', '--json'], settings);
  assert.equal(checked.code, 1);
  const { differences, ...report } = JSON.parse(checked.stdout);
  const kinds = report.problems.map((problem: { kind: string; where: string }) => [
    problem.kind,
    problem.where.split('/').at(-1),
  ]);
  assert.deepEqual(kinds.sort(), [
    ['damaged_manifest', cut.generation],
    ['duplicate_object', twin.generation],
    ['missing_original', gone.generation],
    ['original_without_manifest', orphan.generation],
    ['unknown_field', 'objects.caption_language'],
  ]);
  assert.equal(report.objects, rows.length - 4);
  const [, , objects] = differences;
  assert.deepEqual(objects.onlyInDatabase, [gone, cut, orphan, twin].map((row) => row.generation).sort());
  assert.deepEqual(objects.different, [{ id: elder.generation, columns: ['object_id'] }]);

  const refused = await runCli(['rebuild'], settings);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /has 2 accounts\. .*--force/);
  const forced = await runJson(['rebuild', '--force'], settings);
  assert.equal(forced.objects, rows.length - 4);
  assert.ok((await readFile(forced.old_database)).length > 0);

  const { app, stop } = await start();
  const old = { stagedMs: 0, orphanMs: 0 };
  assert.equal(await sweepOrphans(app.core.database, app.core.stores, new AbortController().signal, old), 0);
  await stop();
  await readFile(path(orphan, originalKey));
});
