import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { picture } from '../support/pictures.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { runCli, runJson, startCli, writePictures } from './run-cli.ts';

let server: TestServer;
let scratch: string;
let environment: Record<string, string>;
before(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'tintype-import-'));
  server = await startServer();
  environment = { DATA_DIR: server.dataDir };
});
after(async () => {
  await server.stop();
  await rm(scratch, { recursive: true, force: true });
});

const makeAccount = async (
  email: string,
  ...terms: string[]
): Promise<{ account_id: string; api_key: string }> =>
  runJson(['account', 'create', '--email', email, ...terms], environment);
const objectCount = async (key: string): Promise<number> =>
  (await server.json('/user/', { key })).body.object_count;

test('an import killed in the middle goes on where it stopped and stores nothing twice', async () => {
  const root = join(scratch, 'album');
  const paths = Array.from(
    { length: 30 },
    (_, index) => `${['', '2025/', '2026/sea/'][index % 3]}p${index}.jpg`,
  );
  await writePictures(root, paths);
  await writeFile(join(root, 'notes.txt'), 'not a picture');
  await writeFile(join(root, '2025', 'empty.jpg'), '');
  await writeFile(join(root, 'cut.jpg'), (await picture(50, 50)).subarray(0, 300));
  await writeFile(join(root, '.hidden.jpg'), await picture(50, 50));
  await writeFile(join(scratch, 'outside.jpg'), await picture(51, 50));
  await symlink(join(scratch, 'outside.jpg'), join(root, 'link.jpg'));
  await symlink(scratch, join(root, '2026', 'up'));
  const { account_id: account, api_key: key } = await makeAccount('album@example.com', '--tier', 'pro');
  const args = ['import', root, '--account', account, '--folder', 'old', '--tags', 'x,y'];

  // Dies after the commit and before its line in the journal: the worst moment.
  const killed = await runCli(args, { ...environment, TINTYPE_FAILPOINT: 'upload:committed@10' });
  assert.equal(killed.signal, 'SIGKILL');
  const before = await objectCount(key);
  assert.ok(before >= 10 && before < 30, String(before));

  const second = await runJson(args, environment);
  assert.equal(second.uploaded + second.already, 30);
  assert.equal(second.already, before);
  assert.deepEqual(second.skipped.map((one: { path: string }) => one.path).sort(), [
    '2025/empty.jpg',
    '2026/up',
    'link.jpg',
    'notes.txt',
  ]);
  assert.deepEqual(
    second.failed.map((one: { path: string }) => one.path),
    ['cut.jpg'],
  );
  assert.equal(await objectCount(key), 30);

  const third = await runCli(args, environment);
  assert.equal(third.code, 1, 'a picture that cannot be stored is a failure every time');
  assert.match(third.stdout, /Skipped: notes\.txt: .*\n/);
  assert.match(third.stdout, /0 uploaded \(.*\), 30 already there, 4 skipped, 1 failed/);

  const listed = await server.json('/get/?view=full&page_size=100&tags=x,y', { key });
  const stored: { folder: string; original_file_name: string }[] = listed.body.items;
  assert.deepEqual(
    stored.map((item) => `${item.folder}/${item.original_file_name}`).sort(),
    paths.map((path) => `old/${path}`).sort(),
  );
});

test('a full quota stops it with advice, and more room lets it go on', async () => {
  const root = join(scratch, 'quota');
  await writePictures(root, ['a/1.jpg', 'a/2.jpg', 'b/3.jpg', 'b/4.jpg']);
  const { account_id: account, api_key: key } = await makeAccount('q@example.com', '--storage-limit', '3');
  const args = ['import', root, '--account', account, '--no-keep-paths', '--concurrency', '1'];
  const stopped = await runCli(args, environment);
  assert.equal(stopped.code, 1);
  assert.match(stopped.stderr, /Storage limit exceeded\. .*--storage-limit/);
  assert.ok((await objectCount(key)) < 4);
  await runJson(['account', 'set', account, '--storage-limit', 'none'], environment);
  const second = await runCli(args, environment);
  assert.equal(second.code, 0, second.stderr);
  const { body } = await server.json('/get/?view=full', { key });
  assert.deepEqual(
    body.items.map((item: { folder: string | null }) => item.folder),
    [null, null, null, null],
  );
});

test('Ctrl-C finishes what has begun, and the next run does the rest', async () => {
  const root = join(scratch, 'interrupted');
  await mkdir(root);
  const bytes = await picture(600, 400);
  const total = 200;
  for (let index = 0; index < total; index++) await writeFile(join(root, `${index}.jpg`), bytes);
  const { account_id: account, api_key: key } = await makeAccount('i@example.com', '--tier', 'enterprise');
  const args = ['import', root, '--account', account, '--concurrency', '8'];
  const { child, ended } = startCli(args, environment);
  while ((await objectCount(key)) < 5) await new Promise((resolve) => setTimeout(resolve, 20));
  child.kill('SIGINT');
  const first = await ended;
  assert.equal(first.code, 1, first.stderr);
  assert.match(first.stderr, /Stopped on request\. Nothing is lost/);
  const uploaded = Number(/(\d+) uploaded/.exec(first.stdout)?.[1]);
  assert.equal(await objectCount(key), uploaded);
  const second = await runJson(args, environment);
  assert.deepEqual([second.already, second.uploaded], [uploaded, total - uploaded]);
});
