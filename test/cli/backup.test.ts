import assert from 'node:assert/strict';
import { mkdtemp, open, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { filesBelow, fillLibrary, jobsDone } from '../support/library.ts';
import { picture } from '../support/pictures.ts';
import { startDescribedPictures } from '../support/search-server.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { runCli, runJson, startCli } from './run-cli.ts';

let folder: string;
let dataDir: string;
let place: string;
let settings: Record<string, string>;
let server: TestServer;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tintype-backup-'));
  dataDir = join(folder, 'data');
  place = join(folder, 'backup');
  settings = { DATA_DIR: dataDir, BASE_URL: 'http://tintype.test' };
  server = await startServer(settings, { dataDir });
  await fillLibrary(server);
});
after(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

async function viewOf(shown: TestServer) {
  const read = async (path: string) => (await shown.json(path)).body;
  return [await read('/user/'), await read('/get/?view=full&page_size=100'), await read('/tags/')];
}

async function flip(file: string): Promise<() => Promise<void>> {
  const bytes = await readFile(file);
  const at = Math.floor(bytes.length / 2);
  const write = async (byte: number): Promise<void> => {
    await using handle = await open(file, 'r+');
    await handle.write(Buffer.from([byte]), 0, 1, at);
  };
  await write((bytes[at] as number) ^ 1);
  return () => write(bytes[at] as number);
}

test('beside a busy service, the second time only what is new; what is restored shows and serves the same', async () => {
  const first = await runJson(['backup', place, '--with-secret-key'], settings);
  assert.equal(first.objects, 7);
  assert.ok(first.copied > 20);
  assert.equal((await server.upload(await picture(33, 44), { object: 'new-one', tags: 'new' })).status, 200);
  await jobsDone(server);
  let isOver = false;
  const noise = (async () => {
    for (let round = 0; !isOver; round += 1) {
      await server.upload(await picture(20, 20), { object: `noise-${round}` });
      await server.call(`/delete/noise-${round}`, { method: 'DELETE' });
    }
  })();
  await runJson(['backup', place, '--with-secret-key'], settings);
  isOver = true;
  await noise;
  await jobsDone(server);
  const seen = await viewOf(server);
  const last = await runJson(['backup', place, '--with-secret-key'], settings);
  assert.equal(last.objects, 8);
  assert.ok(last.copied < first.copied, 'manifests of the last hour are compared by being copied');
  const original = (await filesBelow(join(place, 'files'))).find((file) => /\/[0-9a-f]{24}$/.test(file));
  const { birthtimeMs } = await stat(original as string);
  assert.ok(birthtimeMs < Date.parse(last.made_at), 'an original is copied once');

  const other = { DATA_DIR: join(folder, 'restored'), BASE_URL: 'http://tintype.test' };
  const restored = await runJson(['restore', place], other);
  assert.deepEqual(restored.missing, []);
  await using again = await startServer(other, { dataDir: other.DATA_DIR });
  const shown = await viewOf(again);
  assert.deepEqual(shown, seen);
  for (const { original } of shown[1].items) {
    const path = new URL(original).pathname;
    const [here, there] = await Promise.all([server.call(path), again.call(path)]);
    assert.deepEqual(Buffer.from(await there.arrayBuffer()), Buffer.from(await here.arrayBuffer()));
  }
  const film = shown[1].items.find((item: { object_id: string }) => item.object_id.startsWith('vid-'));
  assert.equal((await again.call(new URL(film.video_url).pathname)).status, 200);
  await jobsDone(again);
  // Variants are no part of a backup; those that were made to be kept can be made again at once.
  const { findings } = await runJson(['scrub', '--repair'], other);
  assert.deepEqual(
    findings.map(({ kind, repair }: { kind: string; repair: string }) => [kind, repair]),
    [['variant', 'made anew']],
  );
  assert.deepEqual((await runJson(['scrub'], other)).findings, []);

  const full = await runCli(['restore', place], other);
  assert.equal(full.code, 1);
  assert.match(full.stderr, /in use by another Tintype server/);
});

test('a restore that was killed goes on; one into a used folder, or without the key, is refused', async () => {
  for (const failpoint of ['restore:object@3', 'restore:page@2']) {
    const other = { DATA_DIR: join(folder, `killed-${failpoint.replace(/\W/g, '-')}`) };
    const killed = await runCli(['restore', place], { ...other, TINTYPE_FAILPOINT: failpoint });
    assert.match(killed.stderr, /died at failpoint/);
    const { missing, objects } = await runJson(['restore', place], other);
    assert.deepEqual([missing, objects], [[], 8]);
    const used = await runCli(['restore', place], other);
    assert.equal(used.code, 1);
    assert.match(used.stderr, /There is a database already/);
    assert.deepEqual((await runJson(['scrub'], other)).findings.filter(isFault), []);
  }
  const elsewhere = join(folder, 'without-key');
  assert.equal((await runCli(['backup', elsewhere], settings)).code, 0);
  const kept = await filesBelow(elsewhere);
  assert.ok(!kept.some((file) => file.endsWith('secret.key')));
  const refused = await runCli(['restore', elsewhere], { DATA_DIR: join(folder, 'no-key') });
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /Set SECRET_KEY as it was/);
  const key = (await readFile(join(dataDir, 'secret.key'), 'utf8')).trim();
  const withKey = { DATA_DIR: join(folder, 'no-key'), SECRET_KEY: key };
  assert.equal((await runCli(['restore', elsewhere], withKey)).code, 0);
});

/** Manifests of buckets are written by the first start. */
const isFault = ({ kind }: { kind: string }): boolean => !['bucket_manifest', 'variant'].includes(kind);

test('a backup that was killed leaves the one before; damage is found on both sides', async () => {
  const before = await readFile(join(place, 'backup.json'), 'utf8');
  const killed = await runCli(['backup', place], { ...settings, TINTYPE_FAILPOINT: 'backup:dumped' });
  assert.match(killed.stderr, /died at failpoint/);
  assert.equal(await readFile(join(place, 'backup.json'), 'utf8'), before);
  const files = await filesBelow(place);
  const table = files.find(
    (file) => before.includes(file.slice(place.length + 1)) && file.endsWith('objects.jsonl.gz'),
  );
  const mendTable = await flip(table as string);
  const damagedTable = await runCli(['restore', place], { DATA_DIR: join(folder, 'damaged-table') });
  assert.equal(damagedTable.code, 1);
  assert.match(damagedTable.stderr, /objects\.jsonl\.gz is damaged in the backup/);
  await mendTable();

  const original = files.find((file) => /\/[0-9a-f]{24}$/.test(file)) as string;
  const mendOriginal = await flip(original);
  const target = { DATA_DIR: join(folder, 'damaged-original'), BASE_URL: 'http://tintype.test' };
  const partly = await runCli(['restore', place, '--json'], target);
  assert.equal(partly.code, 1);
  assert.match(JSON.parse(partly.stdout).missing[0].reason, /is damaged in the backup/);
  await mendOriginal();
  await using without = await startServer(target, { dataDir: target.DATA_DIR });
  assert.equal((await without.json('/user/')).body.object_count, 7);

  const own = (await filesBelow(join(dataDir, 'files'))).find((file) =>
    /\/[0-9a-f]{24}$/.test(file),
  ) as string;
  const mendOwn = await flip(own);
  const fresh = await runCli(['backup', join(folder, 'fresh')], settings);
  await mendOwn();
  assert.equal(fresh.code, 1);
  assert.match(fresh.stdout, /Not taken, because it is damaged here/);
});

test('what pictures are found by is part of it', async () => {
  const searchDir = join(folder, 'search');
  await using pictures = await startDescribedPictures({}, { dataDir: searchDir });
  const searcher = await pictures.account();
  await searcher.add('cat', 'A cat on a sofa.');
  await searcher.add('boat', 'A boat on a lake.');
  await searcher.analysed(2);
  await jobsDone(pictures.server);
  const here = { DATA_DIR: searchDir, BASE_URL: pictures.server.url };
  const target = `sqlite:${join(folder, 'search-target.db')}`;
  const found = await searcher.search({ q: 'cat', threshold: '0' });
  assert.equal((await runCli(['backup', join(folder, 'search-backup'), '--with-secret-key'], here)).code, 0);
  const { child, ended } = startCli(['migrate', '--database', target, '--json'], here);
  await pictures.server.stop();
  const moved = await ended;
  assert.equal(moved.code, 0, moved.stderr);
  assert.ok(child.exitCode === 0);
  const vectors = JSON.parse(moved.stdout).tables.find(({ table }: { table: string }) => table === 'vectors');
  assert.deepEqual([vectors.rows, vectors.rowsInTarget, vectors.isEqual], [2, 2, true]);
  const restoredDir = join(folder, 'search-restored');
  const other = { DATA_DIR: restoredDir, BASE_URL: pictures.server.url };
  assert.equal((await runCli(['restore', join(folder, 'search-backup')], other)).code, 0);
  await using again = await startServer(
    { ...other, OPENAI_BASE_URL: pictures.provider.url, WEBHOOK_ALLOW_PRIVATE: 'on' },
    { dataDir: restoredDir },
  );
  const answer = await again.json('/get/search?q=cat&threshold=0', { key: searcher.api_key });
  assert.deepEqual(answer.body, found.body);
  const words = await again.json('/get/search?q=cat&threshold=0&mode=hybrid', { key: searcher.api_key });
  assert.equal(words.status, 200);
});
