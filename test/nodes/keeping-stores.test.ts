// The files move to S3 beside a running service, on either database; with several nodes only when all of them are stopped.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runCli, runJson, startCli } from '../cli/run-cli.ts';
import { eventually } from '../support/eventually.ts';
import { fillLibrary, jobsDone } from '../support/library.ts';
import { picture } from '../support/pictures.ts';
import { startS3Server } from '../support/s3-server.ts';
import type { TestServer } from '../support/server.ts';
import { Places, s3Credentials, type Settings, startOn } from './kept-library.ts';
import { skipWithoutServer } from './nodes.ts';

async function listing(server: TestServer): Promise<any[]> {
  return (await server.json('/get/?view=full&page_size=100')).body.items;
}

async function assertServed(server: TestServer, expected: unknown): Promise<void> {
  const items = await listing(server);
  assert.deepEqual(items, expected);
  for (const { original } of items)
    assert.equal((await server.call(new URL(original).pathname)).status, 200, original);
}

function hearing(args: string[], settings: Settings) {
  const { child, ended } = startCli(args, { ...s3Credentials, ...settings });
  let said = '';
  child.stderr?.on('data', (chunk) => (said += String(chunk)));
  return { ended, hears: (words: RegExp) => eventually(() => assert.match(said, words), 30_000) };
}

describe('files move to S3', { skip: skipWithoutServer }, () => {
  test('beside a service on SQLite', async () => {
    await using places = await Places.make();
    const settings = places.settings('single');
    const target = (await startS3Server()).newStore();
    const server = await startOn(settings);
    await fillLibrary(server);
    const move = hearing(['migrate', '--files', target], settings);
    await move.hears(/Stop the server now/);
    assert.equal((await server.upload(await picture(33, 22), { object: 'at-last' })).status, 200);
    await jobsDone(server);
    const seen = await listing(server);
    await server.stop();
    const moved = await move.ended;
    assert.equal(moved.code, 0, moved.stderr);
    await assert.rejects(startOn(settings), /was moved. Set FILES_STORE=s3:/);
    await using there = await startOn({ ...settings, FILES_STORE: target });
    await assertServed(there, seen);
  });

  test('beside several nodes, which must all be stopped, and none of which starts where they were', async () => {
    await using places = await Places.make();
    const target = (await startS3Server()).newStore();
    const shared = {
      DATABASE_URL: await places.emptyDatabase('nodes'),
      FILES_STORE: `file:${places.folder}/files`,
      STORAGE_STORE: `file:${places.folder}/storage`,
    };
    const [here, elsewhere] = [places.settings('here', shared), places.settings('elsewhere', shared)];
    const first = await startOn(here);
    const second = await startOn(elsewhere);
    await fillLibrary(first);
    const move = hearing(['migrate', '--files', target], here);
    await move.hears(/Stop the server now/);
    await first.stop();
    await move.hears(/Stop all other nodes.*: 1 still use the database/);
    await assert.rejects(startOn(places.settings('third', shared)), /is being moved to s3:/);
    assert.equal((await second.upload(await picture(33, 22), { object: 'at-last' })).status, 200);
    await jobsDone(second);
    const seen = await listing(second);
    await second.stop();
    const moved = await move.ended;
    assert.equal(moved.code, 0, moved.stderr);
    for (const settings of [here, elsewhere])
      await assert.rejects(startOn(settings), /was moved. Set FILES_STORE=s3:/);
    await using there = await startOn({ ...elsewhere, FILES_STORE: target });
    await assertServed(there, seen);
  });

  test('a move that was killed is refused everywhere until it is finished or abandoned', async () => {
    await using places = await Places.make();
    const target = (await startS3Server()).newStore();
    const shared = {
      DATABASE_URL: await places.emptyDatabase('killed'),
      FILES_STORE: `file:${places.folder}/files`,
      STORAGE_STORE: `file:${places.folder}/storage`,
    };
    const [here, elsewhere] = [places.settings('here', shared), places.settings('elsewhere', shared)];
    const first = await startOn(here);
    assert.equal((await first.upload(await picture(33, 22), { object: 'one' })).status, 200);
    await jobsDone(first);
    await first.stop();
    const args = ['migrate', '--files', target];
    const environment = { ...s3Credentials, ...here };
    const killed = await runCli(args, { ...environment, TINTYPE_FAILPOINT: 'move:finishing' });
    assert.match(killed.stderr, /died at failpoint/);
    await assert.rejects(startOn(elsewhere), /that was not finished/);
    assert.equal((await runCli(['migrate', '--abandon'], environment)).code, 0);
    const second = await startOn(elsewhere);
    await second.stop();
    const { damaged } = await runJson(args, environment);
    assert.deepEqual(damaged, []);
    await assert.rejects(startOn(elsewhere), /was moved/);
  });
});
