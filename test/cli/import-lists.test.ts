import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { type FileSource, fileSource } from '../support/file-source.ts';
import { picture } from '../support/pictures.ts';
import { type ImportService, startImportService, ways } from './import-service.ts';
import { runCli } from './run-cli.ts';

let service: ImportService;
let web: FileSource;
let isSlow = false;
before(async () => {
  service = await startImportService();
  const bytes = await picture(50, 40);
  const send =
    (headers: Record<string, string> = {}) =>
    (response: ServerResponse): void => {
      const answer = (): void => void response.writeHead(200, headers).end(bytes);
      if (isSlow) setTimeout(answer, 250);
      else answer();
    };
  const many = Array.from({ length: 24 }, (_, index) => [`/many/${index}.jpg`, send()] as const);
  web = await fileSource({
    ...Object.fromEntries(many),
    '/a.jpg': send(),
    '/b%20c.jpg': send(),
    '/download': send({ 'Content-Disposition': 'attachment; filename="boats.jpg"' }),
    '/moved': (response) => response.writeHead(302, { Location: '/a.jpg' }).end(),
    '/page.html': (response) => response.end('<!doctype html><title>no picture</title>'),
    '/cut.jpg': (response) => response.end(bytes.subarray(0, 300)),
  });
});
after(async () => {
  await service[Symbol.asyncDispose]();
  await web[Symbol.asyncDispose]();
});

async function writeList(name: string, lines: readonly string[], lineBreak = '\n'): Promise<string> {
  const file = join(service.scratch, name);
  await writeFile(file, lines.join(lineBreak));
  return file;
}

const namesOf = (listed: { path: string }[]): string[] => listed.map(({ path }) => path).sort();

for (const way of ways) {
  describe(`a list of addresses ${way}`, () => {
    test('is stored with ids and tags, names every bad line, and is not fetched again', async () => {
      const account = await service.account(way);
      const list = await writeList(
        `${way}.tsv`,
        [
          `\uFEFF# Pictures of the harbour`,
          `${web.url}/a.jpg`,
          `${web.url}/b%20c.jpg\tharbour-2\tsea, calm`,
          '',
          `${web.url}/download\t\tboats`,
          `${web.url}/moved\tmoved`,
          `${web.url}/a.jpg`,
          `${web.url}/missing.jpg`,
          `${web.url}/page.html`,
          `${web.url}/cut.jpg`,
          `${web.url}/a.jpg\tno id`,
          `${web.url}/a.jpg\tx\ty\tz`,
          'ftp://example.com/a.jpg',
          'boats.jpg',
        ],
        '\r\n',
      );
      const args = [list, '--tags', 'x', '--folder', 'japan/1865'];
      const first = await account.json(args);
      assert.deepEqual([first.uploaded, first.already, first.stopped], [4, 0, null], JSON.stringify(first));
      assert.deepEqual(namesOf(first.skipped), [`${web.url}/page.html`]);
      const bad = ['cut.jpg', 'missing.jpg', 'a.jpg (no id)'].map((path) => `${web.url}/${path}`);
      assert.deepEqual(
        namesOf(first.failed),
        [...bad, 'boats.jpg', 'ftp://example.com/a.jpg', 'line 12'].sort(),
      );
      const reasons = Object.fromEntries(first.failed.map(({ path, reason }: any) => [path, reason]));
      assert.equal(
        reasons[`${web.url}/missing.jpg`],
        'The file could not be fetched: the server answered 404',
      );
      assert.equal(reasons[`${web.url}/a.jpg (no id)`], 'Invalid object id');
      assert.match(reasons['boats.jpg'], /must be a full address/);
      assert.match(reasons['line 12'], /^A line is an address/);

      const stored = await account.objects();
      assert.deepEqual(
        stored.map((one) => `${one.folder}/${one.original_file_name} ${one.tags.join()}`).sort(),
        [
          'japan/1865/a.jpg x',
          'japan/1865/a.jpg x',
          'japan/1865/b c.jpg x,sea,calm',
          'japan/1865/boats.jpg x,boats',
        ],
      );
      const ids = new Set(stored.map((one) => one.object_id));
      assert.ok(ids.has('harbour-2') && ids.has('moved'));

      const asked = web.paths.filter((path) => path === '/a.jpg' || path === '/download').length;
      const second = await account.run(args);
      assert.equal(second.code, 1, 'a line that cannot be stored is a failure every time');
      assert.match(second.stdout, /0 uploaded \(.*\), 4 already there, 1 skipped, 6 failed/);
      assert.equal(web.paths.filter((path) => path === '/a.jpg' || path === '/download').length, asked);
      assert.equal((await account.objects()).length, 4);
    });

    test('may come from standard input', async () => {
      const account = await service.account(way);
      const lines = [`${web.url}/a.jpg`, `${web.url}/download`];
      const first = await account.run(['-'], { input: lines.join('\n') });
      assert.equal(first.code, 0, first.stderr);
      assert.match(first.stdout, /^2 uploaded/m);
      const again = await account.json([await writeList('same.txt', lines)]);
      assert.deepEqual([again.uploaded, again.already], [0, 2], 'it does not matter how a list came');
    });

    test('that is killed goes on where it stopped and stores nothing twice', async () => {
      const account = await service.account(way);
      const list = await writeList(
        'many.txt',
        Array.from({ length: 24 }, (_, index) => `${web.url}/many/${index}.jpg`),
      );
      isSlow = true;
      const { child, ended } = account.start([list, '--concurrency', '3']);
      await eventually(async () => assert.ok((await account.objects()).length >= 6), 30_000);
      child.kill('SIGKILL');
      await ended;
      isSlow = false;
      const before = (await account.objects()).length;
      assert.ok(before < 24, String(before));
      const second = await account.json([list]);
      assert.equal(second.uploaded + second.already, 24);
      assert.ok(second.already >= 3, String(second.already));
      assert.equal((await account.objects()).length, 24);
    });
  });
}

test('addresses inside are refused unless the operator allows them, as for the API', async () => {
  const { server, scratch } = service;
  const account = await service.account(ways[0]);
  const list = await writeList('inside.txt', [`${web.url}/a.jpg`, 'http://[::ffff:7f00:1]/a.jpg']);
  const { code, stdout } = await account.run([list], { environment: { UPLOAD_ALLOW_PRIVATE: 'off' } });
  assert.equal(code, 1);
  assert.equal(stdout.match(/Failed: .*: The address must be on the public internet/g)?.length, 2, stdout);
  assert.deepEqual(await account.objects(), []);

  const wrong = await runCli(['import', server.dataDir + '/tintype.db'], { HOME: scratch });
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /neither a folder nor a list of addresses, which ends in \.txt or \.tsv/);
});
