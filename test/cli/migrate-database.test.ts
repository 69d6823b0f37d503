import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { openSqliteReader } from '../../src/platform/database/sqlite/file.ts';
import { eventually } from '../support/eventually.ts';
import { jobsDone } from '../support/library.ts';
import { picture } from '../support/pictures.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { runCli, runJson, startCli } from './run-cli.ts';

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tintype-migrate-'));
});
after(() => rm(folder, { recursive: true, force: true }));

type Place = { dataDir: string; settings: Record<string, string>; file: string; target: string };
function place(name: string): Place {
  const dataDir = join(folder, name);
  const file = join(folder, `${name}-target.db`);
  const settings = { DATA_DIR: dataDir, BASE_URL: 'http://tintype.test' };
  return { dataDir, settings, file, target: `sqlite:${file}` };
}

async function upload(server: TestServer, fields: Record<string, string> = {}): Promise<string> {
  const { status, body } = await server.upload(await picture(24, 16), fields);
  assert.equal(status, 200, JSON.stringify(body));
  return body.object_id;
}

/** All that the API shows. */
async function viewOf(server: TestServer) {
  const read = async (path: string) => (await server.json(path)).body;
  const view = [
    await read('/user/'),
    await read('/get/?view=full&page_size=100'),
    await read('/tags/'),
    await read('/folders/'),
  ];
  return view;
}

/** The moved database takes the place of the old one, as DATABASE_URL would make it. */
async function adopt({ dataDir, file }: Place): Promise<void> {
  for (const name of await readdir(dataDir)) if (name.startsWith('tintype.db')) await rm(join(dataDir, name));
  await rename(file, join(dataDir, 'tintype.db'));
}

test('moves beside a service that goes on changing everything, and the copy is the same to the last row', async () => {
  const { dataDir, settings, file, target } = place('busy');
  const server = await startServer(settings, { dataDir });
  const ids: string[] = [];
  for (let index = 0; index < 30; index += 1)
    ids.push(await upload(server, { tags: `t${index % 4}`, object: `first-${index}` }));
  const { child, ended } = startCli(['migrate', '--database', target], settings);
  let waits = false;
  child.stderr?.on('data', (chunk) => (waits ||= String(chunk).includes('Stop the server now')));
  // Ids that are used again, accounts that come and go, tags that change: for as long as it copies, and while it waits.
  for (let round = 0; !waits || round < 40; round += 1) {
    assert.ok(round < 2000);
    const id = ids[round % ids.length] as string;
    if (round % 3 === 0) {
      assert.equal((await server.call(`/delete/${id}`, { method: 'DELETE' })).status, 200);
      await upload(server, { object: id, tags: `again-${round}` });
    } else {
      const body = JSON.stringify({ tags: [`changed-${round}`] });
      const headers = { 'Content-Type': 'application/json' };
      assert.equal((await server.call(`/update/${id}`, { method: 'POST', body, headers })).status, 200);
    }
    if (round % 10 === 0) {
      const body = JSON.stringify({ email: `person-${round}@example.com` });
      const headers = { 'Content-Type': 'application/json' };
      const made = await server.json('/accounts/', { method: 'POST', body, headers });
      assert.equal((await server.upload(await picture(9, 9), {}, { key: made.body.api_key })).status, 200);
    }
  }
  await jobsDone(server);
  const seen = await viewOf(server);
  await server.stop();
  const moved = await ended;
  assert.equal(moved.code, 0, moved.stderr);
  assert.match(moved.stdout, /objects +\d+ +\d+ +true/);
  assert.match(moved.stdout, /DATABASE_URL=/);

  await assert.rejects(startServer(settings, { dataDir }), /was moved to another .* Set DATABASE_URL/s);
  const aside = (await readdir(dataDir)).find((name) => name.startsWith('tintype.db.moved-'));
  assert.ok(aside);
  const again = await runCli(['migrate', '--database', target], settings);
  assert.equal(again.code, 0);
  assert.match(again.stdout, /moved already/);
  assert.ok(existsSync(file));
  await adopt({ dataDir, settings, file, target });
  await using adopted = await startServer(settings, { dataDir });
  assert.deepEqual(await viewOf(adopted), seen);
  await upload(adopted, { tags: 'later' });
});

for (const failpoint of ['move:page@3', 'move:applied', 'move:fenced', 'move:complete']) {
  test(`killed at ${failpoint}, it goes on and loses nothing`, async () => {
    const here = place(`killed-${failpoint.replace(/\W/g, '-')}`);
    const { dataDir, settings, file, target } = here;
    const server = await startServer(settings, { dataDir });
    for (let index = 0; index < 10; index += 1)
      await upload(server, { object: `o-${index}`, tags: `t${index}` });
    await jobsDone(server);
    if (failpoint === 'move:applied') {
      // So that something was noted since the copy.
      assert.equal((await runCli(['migrate', '--database', target, '--no-wait'], settings)).code, 0);
      await upload(server, { object: 'noted' });
      assert.equal((await server.call('/delete/o-3', { method: 'DELETE' })).status, 200);
      await jobsDone(server);
    }
    const seen = await viewOf(server);
    await server.stop();
    const killed = await runCli(['migrate', '--database', target], {
      ...settings,
      TINTYPE_FAILPOINT: failpoint,
    });
    assert.match(killed.stderr, new RegExp(`died at failpoint ${failpoint.split('@')[0]}`));
    if (['move:fenced', 'move:complete'].includes(failpoint))
      await assert.rejects(startServer(settings, { dataDir }), /being moved, and that was not finished/);
    else {
      // The old database is still the one that counts, and goes on being noted.
      const between = await startServer(settings, { dataDir });
      assert.deepEqual(await viewOf(between), seen);
      await upload(between, { object: 'between', tags: 'between' });
      await jobsDone(between);
      seen.splice(0, seen.length, ...(await viewOf(between)));
      await between.stop();
      await refusesTarget(here);
    }
    const report = await runJson(['migrate', '--database', target], settings);
    assert.ok(report.old_database);
    await adopt({ dataDir, settings, file, target });
    await using adopted = await startServer(settings, { dataDir });
    assert.deepEqual(await viewOf(adopted), seen);
  });
}

/** A half-filled database is served by nobody. */
async function refusesTarget({ dataDir, file, settings }: Place): Promise<void> {
  const other = `${dataDir}-half`;
  await mkdir(other);
  for (const suffix of ['', '-wal', '-shm'])
    if (existsSync(file + suffix)) await cp(file + suffix, join(other, `tintype.db${suffix}`));
  await assert.rejects(
    startServer({ ...settings, DATA_DIR: other }, { dataDir: other }),
    /not complete: .* Go on with: tintype migrate --database/,
  );
}

test('abandoned, the old database is as if nothing had been', async () => {
  const { dataDir, settings, target } = place('abandoned');
  const server = await startServer(settings, { dataDir });
  await upload(server, { object: 'one' });
  await jobsDone(server);
  await server.stop();
  const environment = { ...settings, TINTYPE_FAILPOINT: 'move:fenced' };
  await runCli(['migrate', '--database', target], environment);
  assert.equal((await runCli(['migrate', '--abandon'], settings)).code, 0);
  using reader = openSqliteReader(join(dataDir, 'tintype.db'));
  const left = await sql`select name from sqlite_master where name glob 'migration_*'`.execute(reader.read);
  assert.deepEqual(left.rows, []);
  await using again = await startServer(settings, { dataDir });
  await upload(again, { object: 'two' });
});

test('a target that is in use is refused, and so are two at a time', async () => {
  const { dataDir, settings, target } = place('refused');
  await using server = await startServer(settings, { dataDir });
  await upload(server);
  const other = place('other');
  await using otherServer = await startServer(other.settings, { dataDir: other.dataDir });
  await upload(otherServer);
  const full = await runCli(['migrate', '--database', `sqlite:${other.dataDir}/tintype.db`], settings);
  assert.equal(full.code, 1);
  assert.match(full.stderr, /not empty/);
  const { child, ended } = startCli(['migrate', '--database', target], settings);
  let told = '';
  child.stderr?.on('data', (chunk) => (told += String(chunk)));
  await eventually(() => assert.match(told, /Stop the server now/), 20_000);
  const second = await runCli(['migrate', '--database', target], settings);
  assert.equal(second.code, 1);
  assert.match(second.stderr, /Another "tintype migrate" works on/);
  child.kill('SIGKILL');
  await ended;
  const wrong = await runCli(['migrate', '--database', 'postgres://localhost/none'], settings);
  assert.notEqual(wrong.code, 0);
  assert.equal((await runCli(['migrate'], settings)).code, 2);
});
