import assert from 'node:assert/strict';
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, before, test } from 'node:test';
import { filesBelow, fillLibrary, jobsDone } from '../support/library.ts';
import { picture } from '../support/pictures.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { runCli, runJson, startCli } from './run-cli.ts';

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tintype-stores-'));
});
after(() => rm(folder, { recursive: true, force: true }));

async function contentsOf(root: string): Promise<Map<string, string>> {
  const files = await filesBelow(root);
  return new Map(
    await Promise.all(
      files.map(async (file) => [relative(root, file), (await readFile(file)).toString('base64')] as const),
    ),
  );
}

async function upload(server: TestServer, fields: Record<string, string> = {}): Promise<void> {
  assert.equal((await server.upload(await picture(24, 16), fields)).status, 200);
}

test('moves all files beside a service that goes on, and both stores are the same at the end', async () => {
  const dataDir = join(folder, 'busy');
  const to = `file:${join(folder, 'busy-target')}`;
  const settings = { DATA_DIR: dataDir, BASE_URL: 'http://tintype.test' };
  const server = await startServer(settings, { dataDir });
  await fillLibrary(server, 8);
  const { child, ended } = startCli(['migrate', '--files', to, '--json'], settings);
  let told = '';
  child.stderr?.on('data', (chunk) => (told += String(chunk)));
  for (let round = 0; !told.includes('Stop the server now') || round < 20; round += 1) {
    assert.ok(round < 1000);
    await upload(server, { object: `o-${round}`, tags: 'a' });
    if (round % 2) assert.equal((await server.call(`/delete/o-${round}`, { method: 'DELETE' })).status, 200);
    else {
      // As many bytes as before: only its content tells that the manifest is another.
      const body = JSON.stringify({ tags: ['b'] });
      const headers = { 'Content-Type': 'application/json' };
      assert.equal((await server.call(`/update/o-${round}`, { method: 'POST', body, headers })).status, 200);
    }
  }
  await jobsDone(server);
  await server.stop();
  const { code, stdout, stderr } = await ended;
  assert.equal(code, 0, stderr);
  assert.equal(JSON.parse(stdout).FILES_STORE, to);
  assert.deepEqual(await contentsOf(join(folder, 'busy-target')), await contentsOf(join(dataDir, 'files')));
  await assert.rejects(startServer(settings, { dataDir }), new RegExp(`was moved\\. Set FILES_STORE=${to}`));
  await using moved = await startServer({ ...settings, FILES_STORE: to }, { dataDir });
  const { body } = await moved.json('/get/?view=full&page_size=100');
  for (const { original } of body.items)
    assert.equal((await moved.call(new URL(original).pathname)).status, 200);
  assert.deepEqual((await runJson(['scrub'], { ...settings, FILES_STORE: to })).findings, []);
});

for (const failpoint of ['move:file@5', 'move:finishing']) {
  test(`killed at ${failpoint}, it goes on; neither store is served half`, async () => {
    const dataDir = join(folder, failpoint.replace(/\W/g, '-'));
    const to = `file:${dataDir}-target`;
    const settings = { DATA_DIR: dataDir, BASE_URL: 'http://tintype.test' };
    const server = await startServer(settings, { dataDir });
    for (let index = 0; index < 6; index += 1) await upload(server);
    await jobsDone(server);
    await server.stop();
    const killed = await runCli(['migrate', '--files', to], { ...settings, TINTYPE_FAILPOINT: failpoint });
    assert.match(killed.stderr, /died at failpoint/);
    if (failpoint === 'move:finishing') {
      for (const store of [{}, { FILES_STORE: to }])
        await assert.rejects(startServer({ ...settings, ...store }, { dataDir }), /that was not finished/);
      assert.equal((await runCli(['migrate', '--abandon'], settings)).code, 0);
      const between = await startServer(settings, { dataDir });
      await upload(between);
      await jobsDone(between);
      await between.stop();
    }
    assert.equal((await runCli(['migrate', '--files', to], settings)).code, 0);
    assert.deepEqual(await contentsOf(`${dataDir}-target`), await contentsOf(join(dataDir, 'files')));
  });
}

test('what is damaged already is named; a store that holds objects is refused', async () => {
  const dataDir = join(folder, 'damaged');
  const settings = { DATA_DIR: dataDir, BASE_URL: 'http://tintype.test' };
  const server = await startServer(settings, { dataDir });
  await upload(server, { object: 'hurt' });
  await jobsDone(server);
  await server.stop();
  const original = (await filesBelow(join(dataDir, 'files'))).find((file) =>
    /\/[0-9a-f]{24}$/.test(file),
  ) as string;
  {
    await using handle = await open(original, 'r+');
    await handle.write(Buffer.from([1, 2, 3]), 0, 3, 50);
  }
  const to = `file:${join(folder, 'damaged-target')}`;
  const moved = await runCli(['migrate', '--files', to], settings);
  assert.equal(moved.code, 1);
  assert.match(moved.stdout, /not what its record says: .*\(object hurt of acc_/);
  await writeFile(join(folder, 'nothing'), '');
  const full = await runCli(['migrate', '--storage', to], { ...settings, FILES_STORE: to });
  assert.equal(full.code, 1);
  assert.match(full.stderr, /not empty/);
});
