import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openS3Client } from '../../src/platform/egress/s3-client.ts';
import { eventually } from '../support/eventually.ts';
import { FaultyProxy } from '../support/faulty-proxy.ts';
import { picture } from '../support/pictures.ts';
import { startS3Server } from '../support/s3-server.ts';
import { type ImportService, startImportService, ways } from './import-service.ts';

let service: ImportService;
let endpoint: string;
let put: (key: string, bytes: Buffer) => Promise<void>;
let picturesMade = 0;
const newPicture = (): Promise<Buffer> => picture(40 + (picturesMade += 1), 30);

before(async () => {
  service = await startImportService();
  ({ endpoint } = await startS3Server());
  const { client, sdk } = await openS3Client({ endpoint, region: undefined, pathStyle: true });
  put = async (Key, Body) => {
    await client.send(new sdk.PutObjectCommand({ Bucket: 'first-bucket', Key, Body }));
  };
});
after(() => service[Symbol.asyncDispose]());

const bucketAt = (prefix: string, through = endpoint): string =>
  `s3://first-bucket/${prefix}?endpoint=${through}`;

for (const [index, way] of ways.entries()) {
  describe(`a bucket ${way}`, () => {
    const prefix = `Photos-${index}`;

    test('keeps folders and names below the prefix, names what is no picture, and is not stored twice', async () => {
      const keys = ['top.jpg', 'Sommer 2024/IMG_0001.JPG', 'Sommer 2024/Straße/ümlaut & co.jpg', 'a/b/c.jpg'];
      for (const key of keys) await put(`${prefix}/${key}`, await newPicture());
      await put(`${prefix}/notes.txt`, Buffer.from('not a picture'));
      await put(`${prefix}/cut.jpg`, (await newPicture()).subarray(0, 300));
      await put(`${prefix}/a/../up.jpg`, await newPicture());
      for (const hidden of ['.trash/x.jpg', 'a/.hidden.jpg'])
        await put(`${prefix}/${hidden}`, await newPicture());
      await put(`${prefix}/a/`, Buffer.alloc(0));
      await put(`${prefix}-other/outside.jpg`, await newPicture());

      const account = await service.account(way);
      const args = [bucketAt(prefix), '--folder', 'old', '--tags', 'x,y'];
      const first = await account.json(args);
      assert.deepEqual([first.uploaded, first.stopped], [4, null], JSON.stringify(first));
      assert.deepEqual(
        first.skipped.map((one: { path: string }) => one.path),
        ['notes.txt'],
      );
      assert.deepEqual(
        first.failed.map((one: { path: string }) => one.path),
        ['cut.jpg'],
      );
      const stored = await account.objects();
      assert.deepEqual(
        stored.map((one) => `${one.folder}/${one.original_file_name}`).sort(),
        keys.map((key) => `old/${key}`).sort(),
      );
      assert.ok(stored.every(({ tags }) => tags.join() === 'x,y'));

      await put(`${prefix}/top.jpg`, await newPicture());
      const second = await account.json(args);
      assert.deepEqual([second.uploaded, second.already], [1, 3], 'one has changed');
      assert.equal((await account.objects()).length, 5);
    });

    test('that is interrupted goes on where it stopped', async () => {
      const total = 40;
      const many = `many-${index}`;
      for (let one = 0; one < total; one++) await put(`${many}/${one}.jpg`, await newPicture());
      const proxy = await FaultyProxy.before(endpoint);
      await proxy.set({ kind: 'slow', delayMs: 60 });
      const account = await service.account(way);
      const { child, ended } = account.start([bucketAt(many, proxy.endpoint), '--concurrency', '2']);
      await eventually(async () => assert.ok((await account.objects()).length >= 5), 30_000);
      child.kill('SIGINT');
      const first = await ended;
      assert.match(first.stderr, /Stopped on request\. Nothing is lost/);
      const uploaded = Number(/(\d+) uploaded/.exec(first.stdout)?.[1]);
      assert.ok(uploaded >= 5 && uploaded < total, String(uploaded));
      assert.equal((await account.objects()).length, uploaded);
      await proxy.set({ kind: 'none' });
      const second = await account.json([bucketAt(many, proxy.endpoint)]);
      assert.deepEqual([second.already, second.uploaded], [uploaded, total - uploaded]);
      await proxy.stop();
    });
  });
}

test('a bucket that cannot be read, and an address that is none, are told in a sentence', async () => {
  const account = await service.account(ways[1]);
  const absent = await account.run([`s3://no-such-bucket?endpoint=${endpoint}`]);
  assert.equal(absent.code, 1);
  assert.match(absent.stderr, /The bucket no-such-bucket cannot be used: there is no such bucket/);
  const wrong = await account.run(['s3://user:secret@bucket/x']);
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /^The address of the bucket must hold no credentials/);
});
