// The service behind the real nginx and the real Caddy with the configurations of docs/cdn: every answer is the one that
// the service gives itself, and nothing else can be fetched.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { rename } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { originalKey } from '../../src/objects/object-keys.ts';
import { assertError } from '../support/assert-error.ts';
import { eventually } from '../support/eventually.ts';
import { ask, type Asked, assertSame } from '../support/http-answers.ts';
import { picture } from '../support/pictures.ts';
import { missing, type Proxy, startCaddy, startNginx } from '../support/proxies.ts';
import { head, openSocket, readAnswer, sendRaw } from '../support/raw-http.ts';
import { operatorKey, startServer, type TestServer } from '../support/server.ts';

/** A data folder that nginx looks for in vain: it can read nothing of it, as with a wrong user or path. */
const elsewhere = '/nonexistent';

type Setup = {
  name: string;
  program: 'nginx' | 'caddy';
  environment: Record<string, string>;
  start(server: TestServer): Promise<Proxy>;
};
const portOf = (server: TestServer): number => Number(new URL(server.url).port);
const handover = { X_ACCEL_REDIRECT: '/tintype-internal' };
const setups: Setup[] = [
  {
    name: 'nginx that sends originals itself',
    program: 'nginx',
    environment: handover,
    start: (server) => startNginx({ dataDir: server.dataDir, upstreamPort: portOf(server) }),
  },
  {
    name: 'nginx that sends originals itself and caches renderings',
    program: 'nginx',
    environment: handover,
    start: (server) => startNginx({ dataDir: server.dataDir, upstreamPort: portOf(server), cache: true }),
  },
  {
    name: 'nginx that should send originals but cannot read them',
    program: 'nginx',
    environment: handover,
    start: (server) => startNginx({ dataDir: elsewhere, upstreamPort: portOf(server) }),
  },
  {
    name: 'nginx that only passes on',
    program: 'nginx',
    environment: { CACHE_TAG_HEADER: 'CDN-Tag' },
    start: (server) => startNginx({ dataDir: server.dataDir, upstreamPort: portOf(server) }),
  },
  {
    name: 'Caddy',
    program: 'caddy',
    environment: {},
    start: (server) => startCaddy({ upstreamPort: portOf(server) }),
  },
];

for (const setup of setups) {
  describe(`behind ${setup.name}`, { skip: missing(setup.program) }, () => {
    const caches = setup.name.includes('caches');
    let server: TestServer;
    let proxy: Proxy;
    let large: Buffer;
    let path: string;
    let etag: string;
    before(async () => {
      server = await startServer({ FILES_URL: 'https://cdn.example.com/files', ...setup.environment });
      proxy = await setup.start(server);
      large = await picture(3200, 2400);
      const { status, body } = await uploadThrough(large, 'large');
      assert.equal(status, 200);
      path = new URL(body.object_url).pathname;
      etag = String((await direct('original')).headers.etag);
    });
    after(async () => {
      await proxy?.[Symbol.asyncDispose]();
      await server?.stop();
    });

    const through = (name: string, asked?: Asked) => ask(proxy.url, path + name, asked);
    /** What the service sends itself, whoever is in front. */
    const direct = (name: string, asked: Asked = {}) =>
      ask(server.url, path + name, { ...asked, headers: { 'X-Accel-Redirect': 'off', ...asked.headers } });
    const same = async (name: string, asked?: Asked) =>
      assertSame(await through(name, asked), await direct(name, asked), `${name} ${JSON.stringify(asked)}`);

    async function uploadThrough(file: Buffer, object: string): Promise<{ status: number; body: any }> {
      const form = new FormData();
      form.append('object', object);
      form.append('file', new Blob([new Uint8Array(file)]), 'picture.jpg');
      const headers = { Authorization: `Bearer ${operatorKey}` };
      const answer = await fetch(`${proxy.url}/upload/`, { method: 'POST', body: form, headers });
      return { status: answer.status, body: await answer.json() };
    }
    const deleteThrough = (id: string) =>
      fetch(`${proxy.url}/delete/${id}`, {
        method: 'DELETE',
        headers: { Authorization: `Bearer ${operatorKey}` },
      });

    test('an upload of several megabytes arrived whole', async () => {
      assert.ok(large.length > 2 * 1024 * 1024, `${large.length}`);
      assert.deepEqual((await through('original')).bytes, large);
    });

    test('an upload streams: the service sees it before its end', async () => {
      const socket = await openSocket(proxy);
      const seen = once(server.app.http.server, 'request') as Promise<[IncomingMessage]>;
      const start = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\n\r\n';
      const end = '\r\n--b--\r\n';
      const length = start.length + large.length + end.length;
      const type = 'multipart/form-data; boundary=b';
      socket.write(head('POST', '/upload/', { 'Content-Type': type, 'Content-Length': length }));
      socket.write(start);
      socket.write(large.subarray(0, 1024 * 1024));
      const [incoming] = await seen;
      assert.equal(incoming.complete, false);
      socket.write(large.subarray(1024 * 1024));
      socket.write(end);
      assert.equal((await readAnswer(socket)).status, 200);
      socket.destroy();
    });

    test('the original, whole, in parts, under a name, and its head alone', async () => {
      const ranges = ['bytes=0-0', 'bytes=100-', 'bytes=-10', `bytes=5-${large.length + 9}`, 'Bytes=3-4'];
      const odd = ['bytes=5-2', 'bytes=a-b', 'bytes=0-1,5-6', 'items=0-5', 'bytes=0-99999999999999999999'];
      for (const query of ['', '?dl=Sea%20side.jpg', '?dl']) {
        await same(`original${query}`);
        await same(`original${query}`, { method: 'HEAD' });
        for (const Range of [...ranges, ...odd]) await same(`original${query}`, { headers: { Range } });
      }
      const part = await through('original', { headers: { Range: 'bytes=1000-2999' } });
      assert.equal(part.status, 206);
      assert.deepEqual(part.bytes, large.subarray(1000, 3000));
      for (const Range of [`bytes=${large.length}-`, 'bytes=-0']) {
        await same('original', { headers: { Range } });
        assert.equal((await through('original', { headers: { Range } })).status, 416);
      }
    });

    test('conditions on the original', async () => {
      const past = new Date(Date.now() - 1e9).toUTCString();
      const future = new Date(Date.now() + 1e9).toUTCString();
      const Range = 'bytes=0-9';
      for (const headers of [
        { 'If-None-Match': etag },
        { 'If-None-Match': `W/${etag}, "x"` },
        { 'If-None-Match': '"other"' },
        { 'If-None-Match': etag, Range },
        { 'If-Range': etag, Range },
        { 'If-Range': '"other"', Range },
        { 'If-Range': future, Range },
        { 'If-Modified-Since': future },
        { 'If-Unmodified-Since': past },
        { 'If-Match': etag },
        { 'If-Match': '"other"' },
      ] as Record<string, string>[]) {
        await same('original', { headers });
        await same('original', { headers, method: 'HEAD' });
      }
      const status = async (headers: Record<string, string>) =>
        (await through('original', { headers })).status;
      assert.equal(await status({ 'If-None-Match': etag }), 304);
      assert.equal(await status({ 'If-Range': etag, Range }), 206);
      assert.equal(await status({ 'If-Range': '"other"', Range }), 200);
    });

    test('renderings, and what is refused', async () => {
      for (const name of ['w-300.webp', 'original.png', 'w-300.webp?dl=a.webp', 'nope-1.webp', 'w-0.webp']) {
        await same(name);
        await same(name);
        await same(name, { method: 'HEAD' });
      }
      for (const Accept of ['image/avif,*/*', 'image/webp', '*/*', 'image/avif,*/*'])
        await same('w-40.auto', { headers: { Accept } });
      // From its cache nginx cuts parts itself, and leaves out Accept-Ranges.
      if (!caches) await same('w-300.webp', { headers: { Range: 'bytes=3-9' } });
      const whole = await direct('w-300.webp');
      const part = await through('w-300.webp', { headers: { Range: 'bytes=3-9' } });
      assert.deepEqual([part.status, part.bytes], [206, whole.bytes.subarray(3, 10)]);
      const tag = String(whole.headers.etag);
      assert.equal((await through('w-300.webp', { headers: { 'If-None-Match': tag } })).status, 304);
      await same('w-300.webp', { method: 'OPTIONS' });
      await same('w-300.webp', { method: 'PUT', body: 'x' });
      await same('../none/original');
      assert.equal((await through('../none/original')).status, 404);
    });

    test('the API and the host of its own', async () => {
      for (const target of ['/', '/get/', '/get/large', '/nothing', '/health/live'])
        assertSame(
          await ask(proxy.url, target, { headers: { Authorization: `Bearer ${operatorKey}` } }),
          await ask(server.url, target, { headers: { Authorization: `Bearer ${operatorKey}` } }),
          target,
        );
      const onHost = (target: string) => ask(proxy.url, target, { headers: { Host: 'cdn.example.com' } });
      assert.deepEqual((await onHost(`${path}original`)).bytes, large);
      assert.equal((await onHost('/get/')).status, 404);
      assert.equal((await ask(server.url, '/metrics')).status, 200);
      assert.equal((await ask(proxy.url, '/metrics')).status, 404, 'what a proxy passes on is not from here');
    });

    test('nothing outside the stores can be fetched, nor anything inside by its file', async () => {
      const handed = String((await ask(server.url, `${path}original`)).headers['x-accel-redirect'] ?? '');
      const file = handed || '/tintype-internal/files/0123456789abcdef/01a1d/e5/01a1de5ac2d1f4db05228e3c';
      const [, inside = ''] = file.split('/tintype-internal');
      for (const target of [
        file,
        `/${file}`,
        `${file}.json`,
        `/x/..${file}`,
        `${path}..${'/..'.repeat(5)}${file}`,
        `/files/%2e%2e${file}`,
        `/files/..%2f${file.slice(1)}`,
        file.replace('tintype', 't%69ntype'),
        file.replaceAll('/', '%2f'),
        `/tintype-internal${'/..'.repeat(2)}/tintype-internal${inside}`,
        '/tintype-internal',
        '/tintype-internal/',
        '/tintype-internal/files/',
        '/tintype-internal/files/../tintype.db',
        '/tintype-internal/files/..%2ftintype.db',
        '/tintype-internal/files/%2e%2e/%2e%2e/etc/passwd',
        '/tintype-internal/files../tintype.db',
        '/tintype-internal/other/secret.key',
        '/files/../secret.key',
        '/../../../../etc/passwd',
        '/files/..%2f..%2f..%2fetc/passwd',
        `${path}..%2f..%2foriginal`,
        `${path}original%00`,
        `${path}original/..%2f..%2f..%2f..%2ftintype.db`,
      ]) {
        const { status, text } = await sendRaw(proxy, head('GET', target, { Connection: 'close' }));
        assert.ok([400, 404].includes(status), `${target}: ${status}`);
        assert.ok(!/root:|SQLite|JFIF|"bucket_id"/.test(text), target);
      }
      const asked = { headers: { 'X-Accel-Redirect': '/tintype-internal/files/../secret.key' } };
      await same('original', asked);
    });

    test('what was deleted is gone', async () => {
      await uploadThrough(large, 'leaving');
      const left = path.replace('large', 'leaving');
      const names = ['original', 'w-310.webp'];
      for (const name of names) assert.equal((await ask(proxy.url, left + name)).status, 200);
      assert.equal((await deleteThrough('leaving')).status, 200);
      const soon = caches ? 13_000 : 0;
      for (const name of names) {
        const gone = await eventually(async () => {
          const answer = await ask(proxy.url, left + name);
          assert.equal(answer.status, 404);
          return answer;
        }, soon);
        assertSame(gone, await ask(server.url, left + name), name);
      }
    });

    test('a file that cannot be read is the service’s own error', async () => {
      await uploadThrough(large, 'lost');
      const lost = path.replace('large', 'lost');
      assert.equal((await ask(proxy.url, `${lost}original`)).status, 200);
      const { database, stores } = server.app.core;
      const { bucket_id: bucketId, generation } = await database.read
        .selectFrom('objects')
        .select(['bucket_id', 'generation'])
        .where('object_id', '=', 'lost')
        .executeTakeFirstOrThrow();
      const bytes = stores.files.pathOnDisk(originalKey(bucketId, generation)) as string;
      await rename(bytes, `${bytes}.away`);
      for (const query of ['', '?dl=a.jpg']) {
        const target = head('GET', `${lost}original${query}`, { Connection: 'close' });
        const answer = await sendRaw(proxy, target);
        assertError(answer, 500, { code: 'internal' });
        assert.equal(answer.headers.get('cache-control'), 'no-store');
        assert.equal(answer.headers.get('content-disposition'), null);
      }
      await rename(`${bytes}.away`, bytes);
      assert.deepEqual((await ask(proxy.url, `${lost}original`)).bytes, large);
    });

    if (caches) {
      test('a rendering is asked for once in ten seconds, also one for each Accept', async () => {
        let asked = 0;
        const count = (): void => void (asked += 1);
        server.app.http.server.on('request', count);
        for (const Accept of ['image/avif', '*/*', 'image/avif', '*/*', 'image/avif'])
          assert.match(
            String((await through('w-70.auto', { headers: { Accept } })).headers['content-type']),
            Accept === '*/*' ? /jpeg/ : /avif/,
          );
        for (let n = 0; n < 5; n++) await through('w-71.webp');
        server.app.http.server.off('request', count);
        assert.equal(asked, 3);
      });
    }
  });
}
