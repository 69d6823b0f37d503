// The whole service with both backends in S3-compatible storage, in different buckets, and the ways there that fail.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import sharp from 'sharp';
import { runCli, runJson } from '../cli/run-cli.ts';
import { newAccount, sendJson } from '../support/accounts.ts';
import { assertConsistent } from '../support/assert-clean.ts';
import { assertError } from '../support/assert-error.ts';
import { eventually } from '../support/eventually.ts';
import { FaultyProxy } from '../support/faulty-proxy.ts';
import { addressesIn, untilStatus, uploadFilm } from '../support/film-server.ts';
import { makeFilm } from '../support/films.ts';
import { picture } from '../support/pictures.ts';
import { startS3Server } from '../support/s3-server.ts';
import { operatorKey, startServer, type TestServer } from '../support/server.ts';
import { keysIn } from '../support/temp-stores.ts';
import { newS3Stores } from '../support/test-stores.ts';
import { onlyOnSqlite } from '../support/test-database.ts';
import { waitingJobs } from '../support/waiting-jobs.ts';

const film = makeFilm({ seconds: 2, width: 320, height: 180, gop: 25 });
const get = async (server: TestServer, url: string, headers: Record<string, string> = {}) => {
  const response = await server.call(url, { key: null, headers });
  return { response, status: response.status, bytes: Buffer.from(await response.arrayBuffer()) };
};
const removeCopies = ({ dataDir }: TestServer): Promise<void> =>
  rm(join(dataDir, 'copies'), { recursive: true, force: true, maxRetries: 5 });

describe('both backends in S3', () => {
  let server: TestServer;
  let settings: Record<string, string>;
  before(async () => {
    settings = await newS3Stores('second-bucket');
    server = await startServer(settings);
  });
  after(() => server.stop());

  async function accountOn(backend: 'files' | 'storage') {
    const account = await newAccount(server, { tier: 'pro' });
    const key: string = account.api_key;
    const changed = { ...sendJson('PATCH', { storage_backend: backend }), key };
    assert.equal((await server.json('/user/', changed)).status, 200);
    return key;
  }

  for (const backend of ['files', 'storage'] as const) {
    test(`a picture in ${backend}: variants, its bytes and parts of them, with and without a copy here`, async () => {
      const key = await accountOn(backend);
      const file = await picture(600, 400);
      const { body } = await server.upload(file, {}, { key });
      assert.match(body.original, new RegExp(`/${backend}/`));
      for (const look of ['with a copy', 'without one']) {
        if (look === 'without one') await removeCopies(server);
        assert.deepEqual((await get(server, body.original)).bytes, file, look);
        const part = await get(server, body.original, { Range: 'bytes=10-19' });
        assert.equal(part.status, 206);
        assert.deepEqual(part.bytes, file.subarray(10, 20), look);
        const variant = await get(server, `${body.object_url}w-${100 + look.length}.png`);
        assert.equal((await sharp(variant.bytes).metadata()).width, 100 + look.length);
      }
      const keys = await keysIn(server.app.core.stores[backend]);
      assert.ok(keys.length >= 1);
    });
  }

  test('a film becomes ready, and its segments come from the bucket', async () => {
    const key = await accountOn('storage');
    const body = await uploadFilm(server, film, {}, { key });
    await untilStatus(server, body.object_id, 'ready', { key });
    await removeCopies(server);
    const master = await get(server, body.video_url);
    assert.equal(master.status, 200);
    const [playlist = ''] = addressesIn(master.bytes.toString(), body.video_url);
    const segments = addressesIn((await get(server, playlist)).bytes.toString(), playlist);
    assert.ok(segments.length > 0);
    for (const address of segments) {
      const { status, bytes, response } = await get(server, address);
      assert.equal(status, 200, address);
      assert.equal(bytes.length, Number(response.headers.get('content-length')));
    }
    assert.deepEqual((await get(server, body.original)).bytes, film);
    assert.equal((await get(server, `${body.object_url}t-1_w-80.png`)).status, 200);
  });

  test('what is deleted leaves nothing in the bucket', async () => {
    const key = await accountOn('files');
    const { body: image } = await server.upload(await picture(50, 50), {}, { key });
    const video = await uploadFilm(server, film, {}, { key });
    await untilStatus(server, video.object_id, 'ready', { key });
    const [, bucket = ''] = /\/files\/([^/]+)\//.exec(image.original) ?? [];
    const keys = async () =>
      (await keysIn(server.app.core.stores.files)).filter((each) => each.startsWith(bucket));
    await eventually(async () => assert.ok((await keys()).length > 5));
    for (const { object_id: id } of [image, video])
      assert.equal((await server.json(`/delete/${id}`, { method: 'DELETE', key })).status, 200);
    await eventually(async () => assert.deepEqual(await keys(), [`${bucket}/bucket.json`]));
    await eventually(() => assertConsistent(server));
  });

  test('it is ready, and says so of both', async () => {
    const { status, body } = await server.json('/health/ready', { key: null });
    assert.equal(status, 200);
    assert.deepEqual(body.checks, { database: 'ok', files: 'ok', storage: 'ok' });
  });
});

test('a lost database is made again from the buckets', onlyOnSqlite, async (t) => {
  const settings: Record<string, string> = {
    ...(await newS3Stores('second-bucket')),
    BASE_URL: 'http://tintype.test',
  };
  const environment = {
    ...settings,
    BOOTSTRAP_API_KEY: operatorKey,
    AWS_ACCESS_KEY_ID: process.env['AWS_ACCESS_KEY_ID'] as string,
    AWS_SECRET_ACCESS_KEY: process.env['AWS_SECRET_ACCESS_KEY'] as string,
  };
  const first = await startServer(settings);
  const file = await picture(30, 30);
  const { body } = await first.upload(file, { tags: 'kept', object: 'mine' });
  await eventually(async () => {
    assert.deepEqual(await waitingJobs(first.app.core.database).execute(), []);
  });
  await first.stop();
  // Another machine: nothing but the buckets is left.
  const DATA_DIR = await mkdtemp(join(tmpdir(), 'tintype-rebuilt-'));
  t.after(() => rm(DATA_DIR, { recursive: true }));
  const refused = await runCli(['account', 'list'], { ...environment, DATA_DIR });
  assert.match(refused.stderr, /rebuild/);
  const report = await runJson(['rebuild'], { ...environment, DATA_DIR });
  assert.equal(report.objects, 1, JSON.stringify(report));
  await using third = await startServer(settings, { dataDir: DATA_DIR });
  const listed = await third.json('/get/mine');
  assert.deepEqual(listed.body.tags, ['kept']);
  const { pathname } = new URL(body.original);
  assert.deepEqual((await get(third, `${third.url}${pathname}`)).bytes, file);
});

describe('when the way to S3 fails', () => {
  let proxy: FaultyProxy;
  let server: TestServer;
  before(async () => {
    const s3 = await startS3Server();
    proxy = await FaultyProxy.before(s3.endpoint);
    server = await startServer({
      FILES_STORE: s3.newStore('first-bucket', proxy.endpoint),
      STORAGE_STORE: s3.newStore('second-bucket'),
    });
  });
  after(async () => {
    await server.stop();
    await proxy.stop();
  });

  for (const kind of ['refuse', 'freeze'] as const) {
    test(`${kind}: uploads hear of it within 2 s, copies are served, and it recovers alone`, async () => {
      const file = await picture(64, 48);
      const { body } = await server.upload(file);
      const another = await picture(65, 48);
      await proxy.set({ kind });
      const begun = performance.now();
      const refused = await server.upload(another);
      const took = performance.now() - begun;
      assertError(refused, 503, { code: 'storage_unavailable' });
      assert.ok(Number(refused.headers.get('retry-after')) >= 1);
      assert.ok(took < 2000, `${took} ms`);
      assert.deepEqual((await get(server, body.original)).bytes, file);
      assert.equal((await get(server, `${body.object_url}w-20.png`)).status, 200);
      const ready = await server.json('/health/ready', { key: null });
      assert.equal(ready.status, 503);
      assert.equal(ready.body.checks.storage, 'ok');
      await proxy.set({ kind: 'none' });
      await eventually(async () => assert.equal((await server.upload(file)).status, 200));
      await eventually(() => assertConsistent(server), 30_000);
    });
  }

  test('cut: an answer that ends early is never shown as whole, and a copy is made once it is', async () => {
    const file = await picture(900, 700, 'png');
    const { body } = await server.upload(file);
    await removeCopies(server);
    await proxy.set({ kind: 'cut', afterBytes: 2000 });
    await assert.rejects(get(server, body.original).then(({ status }) => assert.notEqual(status, 200)));
    await proxy.set({ kind: 'none' });
    await eventually(async () => assert.deepEqual((await get(server, body.original)).bytes, file));
  });

  test('slow: it takes longer and works', async () => {
    await proxy.set({ kind: 'slow', delayMs: 300 });
    const file = await picture(70, 48);
    const { status, body } = await server.upload(file);
    assert.equal(status, 200);
    await removeCopies(server);
    assert.deepEqual((await get(server, body.original)).bytes, file);
    await proxy.set({ kind: 'none' });
  });
});

test('a store that cannot be used stops the start with what to check', async () => {
  const s3 = await startS3Server();
  const endpoint = encodeURIComponent(s3.endpoint);
  const start = async (FILES_STORE: string): Promise<void> => (await startServer({ FILES_STORE })).stop();
  await assert.rejects(start(`s3://no-such-bucket/x?endpoint=${endpoint}`), {
    message: /bucket no-such-bucket cannot be used: there is no such bucket/,
  });
  await assert.rejects(start('s3://first-bucket/x?endpoint=http://127.0.0.1:9'), {
    message: /does not answer; check the endpoint/,
  });
  const id = process.env['AWS_ACCESS_KEY_ID'];
  process.env['AWS_ACCESS_KEY_ID'] = 'nobody';
  try {
    await assert.rejects(start(`s3://first-bucket/x?endpoint=${endpoint}`), {
      message: /credentials were refused/,
    });
  } finally {
    process.env['AWS_ACCESS_KEY_ID'] = id;
  }
});
