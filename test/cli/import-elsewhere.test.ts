import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { newKey } from '../support/accounts.ts';
import { eventually } from '../support/eventually.ts';
import { FaultyProxy } from '../support/faulty-proxy.ts';
import { picture } from '../support/pictures.ts';
import { standIn } from '../support/stand-in.ts';
import { type ImportService, startImportService, ways } from './import-service.ts';
import { runCli, writePictures } from './run-cli.ts';

let service: ImportService;
before(async () => {
  service = await startImportService();
});
after(() => service[Symbol.asyncDispose]());

const elsewhere = (terms = {}) => service.account(ways[1], terms);

test('a folder into a service elsewhere: what is bad is named, what is stored is not sent again', async () => {
  const root = join(service.scratch, 'album');
  const paths = ['a.jpg', '2025/b.jpg', '2026/sea/c.jpg', '2026/sea/d.jpg'];
  await writePictures(root, paths);
  await writeFile(join(root, 'notes.txt'), 'not a picture');
  await writeFile(join(root, 'cut.jpg'), (await picture(50, 50)).subarray(0, 300));
  const account = await elsewhere();
  const args = [root, '--folder', 'old', '--tags', 'x,y'];
  const first = await account.json(args);
  assert.deepEqual([first.uploaded, first.stopped], [4, null], JSON.stringify(first));
  assert.match(first.skipped[0].reason, /^This is not a supported image or video/);
  assert.equal(first.failed[0].path, 'cut.jpg');
  const stored = await account.objects();
  assert.deepEqual(
    stored.map((one) => `${one.folder}/${one.original_file_name} ${one.tags.join()}`).sort(),
    paths.map((path) => `old/${path} x,y`).sort(),
  );
  const second = await account.run(args);
  assert.equal(second.code, 1);
  assert.match(second.stdout, /0 uploaded \(.*\), 4 already there, 1 skipped, 1 failed/);
});

test('killed in the middle, it goes on where it stopped and stores nothing twice', async () => {
  const root = join(service.scratch, 'many');
  const total = 40;
  await writePictures(
    root,
    Array.from({ length: total }, (_, index) => `${index}.jpg`),
  );
  const account = await elsewhere();
  const proxy = await FaultyProxy.before(service.server.url);
  await proxy.set({ kind: 'slow', delayMs: 100 });
  const { child, ended } = account.start([root, '--server', proxy.endpoint, '--concurrency', '4']);
  await eventually(async () => assert.ok((await account.objects()).length >= 8), 30_000);
  child.kill('SIGKILL');
  await ended;
  await proxy.stop();
  assert.ok((await account.objects()).length < total);
  const second = await account.json([root]);
  assert.equal(second.uploaded + second.already, total);
  assert.ok(second.already >= 4, String(second.already));
  assert.equal((await account.objects()).length, total);
});

test('a large file goes on in the middle of itself', async () => {
  const root = join(service.scratch, 'large');
  await mkdir(root);
  const bytes = await picture(2800, 2800, 'png');
  assert.ok(bytes.length > 12 * 1024 * 1024, String(bytes.length));
  await writeFile(join(root, 'large.png'), bytes);
  const account = await elsewhere();
  const requests = (method: string) =>
    service.logLines.filter((line) => line.includes(`"method":"${method}","path":"/upload/resumable`)).length;
  const proxy = await FaultyProxy.before(service.server.url);
  await proxy.set({ kind: 'slow', delayMs: 1500 });
  const { child, ended } = account.start([root, '--server', proxy.endpoint]);
  // Its answer is still on the way.
  await eventually(() => assert.equal(requests('PATCH'), 1), 60_000);
  child.kill('SIGKILL');
  await ended;
  await proxy.stop();
  assert.deepEqual(await account.objects(), []);
  const second = await account.json([root]);
  assert.deepEqual([second.uploaded, second.stopped], [1, null], JSON.stringify(second));
  const pieces = Math.ceil(bytes.length / (8 * 1024 * 1024));
  assert.deepEqual([requests('POST'), requests('PATCH')], [1, pieces], 'only what was missing was sent');
  const [stored] = await account.objects();
  assert.equal(stored?.original_file_name, 'large.png');
  assert.equal((await account.json([root])).already, 1);
});

test('a service that goes away stops it, and the next run does the rest', async () => {
  const root = join(service.scratch, 'away');
  await writePictures(
    root,
    Array.from({ length: 12 }, (_, index) => `${index}.jpg`),
  );
  const account = await elsewhere();
  const proxy = await FaultyProxy.before(service.server.url);
  await proxy.set({ kind: 'slow', delayMs: 100 });
  const { ended } = account.start([root, '--server', proxy.endpoint, '--concurrency', '1']);
  await eventually(async () => assert.ok((await account.objects()).length >= 3), 30_000);
  await proxy.set({ kind: 'refuse' });
  const first = await ended;
  assert.equal(first.code, 1);
  assert.match(first.stderr, /The service at \S+ cannot be reached\. Nothing is lost: run the same command/);
  await proxy.set({ kind: 'none' });
  const second = await account.run([root, '--server', proxy.endpoint]);
  assert.equal(second.code, 0, second.stderr);
  assert.equal((await account.objects()).length, 12);
  await proxy.stop();
});

test('a full account, a wrong key and a key that may not write are told in a sentence', async () => {
  const root = join(service.scratch, 'small');
  await writePictures(root, ['1.jpg', '2.jpg', '3.jpg']);
  const full = await elsewhere({ tier: 'free', storage_limit: 1.5 });
  const stopped = await full.run([root, '--concurrency', '1']);
  assert.equal(stopped.code, 1);
  assert.match(stopped.stderr, /Storage limit exceeded\. .*ask the operator of the service for more room/);

  const account = await elsewhere();
  const { api_key: readOnly } = await newKey(service.server, account.key, { scopes: ['read'] });
  const refused = await account.run([root], { environment: { TINTYPE_KEY: readOnly } });
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /This API key does not have the scope "write"/);
  const unknown = await account.run([root, '--key', 'tt_no_such_key']);
  assert.equal(unknown.code, 1);
  assert.match(unknown.stderr, /refuses: Invalid or missing API key/);
  await using moved = await standIn([301]);
  const elsewhereNow = await account.run([root, '--server', moved.url]);
  assert.match(elsewhereNow.stderr, /sends us to another address; give that one/);
  const noHome = await account.run([root], { environment: { HOME: join(root, '1.jpg') } });
  assert.match(noHome.stderr, /^Importing into .*\nWhat is imported cannot be noted in /);
  assert.deepEqual(await account.objects(), []);
});

test('wrong use is told before anything is sent', async () => {
  const environment = { HOME: service.scratch };
  const cases: [string[], RegExp][] = [
    [['--server', 'ftp://example.com'], /--server must be an address that begins with http/],
    [
      ['--server', 'http://127.0.0.1:9'],
      /Say which API key to use with http:\/\/127\.0\.0\.1:9: TINTYPE_KEY/,
    ],
    [['--key', 'tt_something'], /--key is for a service that --server or TINTYPE_URL names/],
    [['--server', 'http://127.0.0.1:9', '--account', 'x'], /--account is for the data of this service/],
  ];
  for (const [args, sentence] of cases) {
    const { code, stderr } = await runCli(['import', service.scratch, ...args], environment);
    assert.equal(code, 2, stderr);
    assert.match(stderr, sentence);
  }
});
