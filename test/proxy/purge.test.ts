// Deletion reaches the caches in front: stand-ins that take the calls which Cloudflare, Bunny and Fastly document, and
// that fail in every way a service elsewhere can.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { newAccount, sendJson } from '../support/accounts.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { picture } from '../support/pictures.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { standIn } from '../support/stand-in.ts';

const file = await picture(20, 20);
const secret = 'very-secret-token-0123456789';
const jobsOf = (server: TestServer) =>
  server.app.core.database.read.selectFrom('jobs').selectAll().where('kind', '=', 'purge-caches').execute();
const done = (server: TestServer, withinMs = 10_000): Promise<void> =>
  eventually(async () => assert.deepEqual(await jobsOf(server), []), withinMs);

async function uploaded(server: TestServer, object: string): Promise<{ url: string; tag: string }> {
  const { body } = await server.upload(file, { object });
  const { headers } = await server.call(body.original, { key: null });
  const name = ['cache-tag', 'cdn-tag', 'surrogate-key'].find((header) => headers.has(header)) ?? '';
  return { url: body.object_url, tag: headers.get(name) ?? '' };
}
const remove = (server: TestServer, id: string) => server.json(`/delete/${id}`, { method: 'DELETE' });

describe('the tag', () => {
  test('is short, the same on every answer of an object, another one when its id is used again', async () => {
    await using server = await startServer();
    const first = await uploaded(server, 'tagged');
    assert.match(first.tag, /^[0-9a-f]{12}$/);
    for (const [name, init] of [
      ['w-10.webp', {}],
      ['w-10.auto', {}],
      ['original', { method: 'HEAD' }],
      ['original', { headers: { 'If-None-Match': '*' } }],
      ['original', { headers: { Range: 'bytes=0-3' } }],
    ] as const) {
      const { headers } = await server.call(first.url + name, { key: null, ...init });
      assert.equal(headers.get('cache-tag'), first.tag, name);
    }
    const failed = await server.call(`${first.url}nope-1.webp`, { key: null });
    assert.equal(failed.headers.get('cache-tag'), null);
    assert.notEqual((await uploaded(server, 'other')).tag, first.tag);
    await remove(server, 'tagged');
    assert.deepEqual(await jobsOf(server), [], 'nothing to call, no job');
    assert.notEqual((await uploaded(server, 'tagged')).tag, first.tag);
  });
});

/** As the vendors document their calls; the texts are those of docs/cdn.md. */
const vendors = [
  {
    name: 'Cloudflare',
    path: '/client/v4/zones/ZONE_ID/purge_cache',
    settings: {
      CACHE_TAG_HEADER: 'Cache-Tag',
      PURGE_HEADERS: `Authorization: Bearer ${secret}\\nContent-Type: application/json`,
      PURGE_BODY: '{"tags":["{tag}"]}',
    },
    line: () => 'POST /client/v4/zones/ZONE_ID/purge_cache',
    credential: ['authorization', `Bearer ${secret}`],
    body: (tag: string) => JSON.stringify({ tags: [tag] }),
    type: 'application/json',
  },
  {
    name: 'Bunny',
    path: '/pullzone/PULL_ZONE_ID/purgeCache',
    settings: {
      CACHE_TAG_HEADER: 'CDN-Tag',
      PURGE_HEADERS: `AccessKey: ${secret}\nContent-Type: application/json`,
      PURGE_BODY: '{"CacheTag":"{tag}"}',
    },
    line: () => 'POST /pullzone/PULL_ZONE_ID/purgeCache',
    credential: ['accesskey', secret],
    body: (tag: string) => JSON.stringify({ CacheTag: tag }),
    type: 'application/json',
  },
  {
    name: 'Fastly',
    path: '/service/SERVICE_ID/purge/{tag}',
    settings: { CACHE_TAG_HEADER: 'Surrogate-Key', PURGE_HEADERS: `Fastly-Key: ${secret}` },
    line: (tag: string) => `POST /service/SERVICE_ID/purge/${tag}`,
    credential: ['fastly-key', secret],
    body: () => '',
    type: undefined,
  },
] as const;

describe('the call', () => {
  test('is documented as it is tried here', () => {
    const docs = readFileSync(new URL('../../docs/cdn.md', import.meta.url), 'utf8');
    for (const { path, settings } of vendors) {
      const { PURGE_HEADERS, ...rest } = settings;
      const lines = Object.entries(rest).map(([name, value]) => `${name}=${value}\n`);
      const headers = PURGE_HEADERS.replaceAll('\n', '\\n').replace(secret, '').split(':')[0];
      for (const line of [...lines, `${path}\n`, `PURGE_HEADERS=${headers}: `])
        assert.ok(docs.includes(line), line);
    }
  });

  for (const vendor of vendors) {
    test(`is the one that ${vendor.name} documents`, async () => {
      await using cache = await standIn();
      await using server = await startServer({ PURGE_URL: cache.url + vendor.path, ...vendor.settings });
      const { tag } = await uploaded(server, 'purged');
      const header = vendor.settings.CACHE_TAG_HEADER;
      assert.match(tag, /^[0-9a-f]{12}$/, `${header} holds it`);
      await remove(server, 'purged');
      await done(server);
      const [call, ...more] = cache.seen;
      assert.deepEqual([call?.line, call?.body, more.length], [vendor.line(tag), vendor.body(tag), 0]);
      assert.equal(call?.headers[vendor.credential[0]], vendor.credential[1]);
      assert.equal(call?.headers['content-type'], vendor.type);
    });
  }

  test('can name the address, method and headers of any other cache', async () => {
    await using cache = await standIn([204]);
    await using server = await startServer({
      FILES_URL: 'https://cdn.example.com/f',
      PURGE_URL: `${cache.url}/purge?url={url}*`,
      PURGE_METHOD: 'PURGE',
      PURGE_HEADERS: 'xkey: {tag}\\nX-Address: {url}',
    });
    const { body } = await server.upload(file, { object: 'elsewhere' });
    await remove(server, 'elsewhere');
    await done(server);
    const [call] = cache.seen;
    assert.equal(call?.line, `PURGE /purge?url=${encodeURIComponent(body.object_url)}*`);
    assert.equal(call?.headers['x-address'], body.object_url);
    assert.match(String(call?.headers['xkey']), /^[0-9a-f]{12}$/);
  });

  test('is made once for every object, also for many at once and for an account that is erased', async () => {
    await using cache = await standIn();
    await using server = await startServer({ PURGE_URL: `${cache.url}/{tag}` });
    const account = await newAccount(server);
    const ids = Array.from({ length: 6 }, (_, index) => `o${index}`);
    for (const object of ids) await server.upload(file, { object }, { key: account.api_key });
    const some = { action: 'delete', objects: [...ids.slice(0, 3), 'none'] };
    await server.json('/bulk/', { ...sendJson('POST', some), key: account.api_key });
    await eventually(() => assert.equal(cache.seen.length, 3));
    await server.json(`/accounts/${account.account_id}`, { method: 'DELETE' });
    await server.app.core.database.write(async (tx) => {
      await tx.updateTable('accounts').set({ erase_at: 1 }).where('erase_at', 'is not', null).execute();
      await tx.updateTable('jobs').set({ run_at: 1 }).where('kind', '=', 'erase-account').execute();
    });
    await eventually(() => assert.equal(cache.seen.length, 6), 10_000);
    await done(server);
    assert.equal(new Set(cache.seen.map(({ line }) => line)).size, 6);
  });
});

describe('a cache that fails', () => {
  const folders: string[] = [];
  after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

  test('is called again, and neither log nor job tells the credential', async () => {
    await using cache = await standIn([500, 200]);
    const logLines: string[] = [];
    await using server = await startServer(
      { PURGE_URL: `${cache.url}/{tag}?key=${secret}`, PURGE_HEADERS: `AccessKey: ${secret}` },
      { logLines },
    );
    await server.upload(file, { object: 'again' });
    assert.equal((await remove(server, 'again')).status, 200);
    const [job] = await eventually(async () => {
      const jobs = await jobsOf(server);
      assert.equal(jobs[0]?.last_error, 'Could not purge the cache: it answered 500');
      return jobs;
    });
    await done(server);
    assert.equal(cache.seen.length, 2);
    assert.equal(cache.seen[0]?.line, cache.seen[1]?.line);
    assert.ok(logLines.some((line) => line.includes('it answered 500')));
    assert.ok(!(logLines.join('') + JSON.stringify(job)).includes(secret));
  });

  test('and hangs, or is not there, delays no deletion', async () => {
    await using hanging = await standIn([0]);
    await using redirecting = await standIn([307]);
    for (const [address, fault] of [
      [hanging.url, null],
      [`http://127.0.0.1:${await freePort()}`, 'Could not purge the cache: no connection (ECONNREFUSED)'],
      [redirecting.url, 'Could not purge the cache: it answered 307'],
    ] as const) {
      await using server = await startServer({ PURGE_URL: `${address}/{tag}` });
      const { body } = await server.upload(file, { object: 'slow' });
      const startedAt = performance.now();
      assert.equal((await remove(server, 'slow')).status, 200);
      assert.ok(performance.now() - startedAt < 1000);
      assert.equal((await server.call(body.original, { key: null })).status, 404);
      await eventually(async () => {
        const [job] = await jobsOf(server);
        assert.deepEqual([job?.attempts, job?.last_error], [1, fault]);
      });
    }
    assert.equal(hanging.seen.length, 1);
  });

  test('until the service was started again is told then', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'tintype-purge-'));
    folders.push(dataDir);
    const port = await freePort();
    const settings = { PURGE_URL: `http://127.0.0.1:${port}/{tag}` };
    const first = await startServer(settings, { dataDir });
    await first.upload(file, { object: 'kept' });
    await remove(first, 'kept');
    await eventually(async () => assert.equal((await jobsOf(first))[0]?.attempts, 1));
    await first.stop();
    await using cache = await standIn([200], port);
    await using second = await startServer(settings, { dataDir });
    await done(second);
    assert.equal(cache.seen.length, 1);
  });
});
