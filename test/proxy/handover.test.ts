// What is handed to an nginx in front by X-Accel-Redirect, and what never is. No nginx is needed to see it.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ask, type Asked } from '../support/http-answers.ts';
import { picture } from '../support/pictures.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let large: Buffer;
let path: string;
let small: string;
before(async () => {
  server = await startServer({ X_ACCEL_REDIRECT: '/inside/tintype' });
  large = await picture(1400, 1000);
  path = new URL((await server.upload(large, { object: 'large' })).body.object_url).pathname;
  small = new URL((await server.upload(await picture(90, 60))).body.object_url).pathname;
});
after(() => server.stop());

const handed = async (target: string, asked: Asked = {}): Promise<string | undefined> =>
  (await ask(server.url, target, asked)).headers['x-accel-redirect'] as string | undefined;

describe('handing over', () => {
  test('names the very file, below the store’s folder, and sends no bytes', async () => {
    const { status, headers, bytes } = await ask(server.url, `${path}original`);
    assert.deepEqual([status, bytes.length, headers['content-length']], [200, 0, '0']);
    const [, file = ''] =
      /^\/inside\/tintype\/(files\/[0-9a-f]{16}\/[0-9a-f]{5}\/[0-9a-f]{2}\/[0-9a-f]{24})$/.exec(
        String(headers['x-accel-redirect']),
      ) ?? [];
    assert.ok(file !== '' && existsSync(join(server.dataDir, file)), file);
    assert.deepEqual(readFileSync(join(server.dataDir, file)), large);
    assert.equal(headers['content-type'], 'image/jpeg');
    assert.match(headers.etag ?? '', /^"\w{32}"$/);
  });

  test('is for plain requests and plain ranges', async () => {
    for (const range of ['bytes=0-0', 'bytes=100-', 'bytes=-10', `bytes=5-${large.length + 9}`])
      assert.ok(await handed(`${path}original`, { headers: { Range: range } }), range);
    assert.ok(await handed(`${path}original?dl=a.jpg`));
    assert.ok(await handed(`${path}original`, { headers: { 'If-None-Match': '"other"' } }));
  });

  test('is not for what nginx would judge otherwise', async () => {
    const etag = String((await ask(server.url, `${path}original`)).headers.etag);
    for (const headers of [
      { Range: 'bytes=0-9', 'If-Range': etag },
      { Range: 'bytes=0-9', 'If-Range': '"other"' },
      { 'If-Match': etag },
      { 'If-Modified-Since': new Date(Date.now() + 1e9).toUTCString() },
      { 'If-Unmodified-Since': new Date(0).toUTCString() },
      { 'If-None-Match': etag },
      { Range: 'bytes=0-1,5-6' },
      { Range: 'bytes=5-2' },
      { Range: 'bytes=a-b' },
      { Range: 'bytes=' },
      { Range: 'bytes=0-99999999999999999999' },
      { Range: `bytes=${large.length}-` },
      { Range: '' },
      { 'X-Accel-Redirect': 'off' },
    ] as Record<string, string>[])
      assert.equal(await handed(`${path}original`, { headers }), undefined, JSON.stringify(headers));
    assert.equal(await handed(`${path}original`, { method: 'HEAD' }), undefined);
  });

  test('is not for small originals, variants and errors', async () => {
    for (const target of [
      `${small}original`,
      `${path}original.png`,
      `${path}w-1200.png`,
      `${path}nope-1.webp`,
      path.replace('large', 'none').concat('original'),
    ])
      assert.equal(await handed(target), undefined, target);
    assert.ok((await ask(server.url, `${path}w-1200.png`)).bytes.length > 256 * 1024);
  });

  test('is off unless it is set', async () => {
    await using plain = await startServer();
    const { body } = await plain.upload(large);
    const { headers, bytes } = await ask(plain.url, new URL(body.original).pathname);
    assert.equal(headers['x-accel-redirect'], undefined);
    assert.deepEqual(bytes, large);
  });
});
