// The public addresses: what they send, with which headers, in whole and in part, for whom and for how long.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import sharp from 'sharp';
import { newAccount, sendJson } from '../support/accounts.ts';
import { assertError } from '../support/assert-error.ts';
import { picture } from '../support/pictures.ts';
import { head, sendRaw } from '../support/raw-http.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { aboutFolders } from '../support/test-stores.ts';

let server: TestServer;
let file: Buffer;
let generated: string;
let custom: string;
before(async () => {
  server = await startServer();
  file = await picture(120, 80);
  generated = (await server.upload(file)).body.object_url;
  custom = (await server.upload(file, { object: 'named' })).body.object_url;
});
after(() => server.stop());

type Got = { status: number; headers: Headers; bytes: Buffer };
async function get(address: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Got> {
  const answer = await server.call(address, { key: null, headers, method });
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
}
const fails = (address: string, init: Parameters<TestServer['json']>[1] = {}) =>
  server.json(address, { key: null, ...init });

describe('what is sent', () => {
  test('original is the stored bytes with their own type', async () => {
    const { status, headers, bytes } = await get(`${generated}original`);
    assert.equal(status, 200);
    assert.deepEqual(bytes, file);
    assert.equal(headers.get('content-type'), 'image/jpeg');
    assert.equal(headers.get('content-length'), String(file.length));
  });

  for (const [format, type] of [
    ['webp', 'image/webp'],
    ['avif', 'image/avif'],
    ['jpg', 'image/jpeg'],
    ['jpeg', 'image/jpeg'],
    ['png', 'image/png'],
    ['gif', 'image/gif'],
  ] as const) {
    test(`original.${format} re-encodes, w-30.${format} also resizes`, async () => {
      for (const [name, size] of [
        [`original.${format}`, [120, 80]],
        [`w-30.${format}`, [30, 20]],
      ] as const) {
        const { status, headers, bytes } = await get(generated + name);
        assert.deepEqual([status, headers.get('content-type')], [200, type]);
        const { width, height } = await sharp(bytes).metadata();
        assert.deepEqual([width, height], size);
      }
    });
  }

  test('the thumbnail of listings is exactly 200 × 200', async () => {
    const { bytes } = await get(`${generated}h-200_w-200.webp`);
    const { width, height, format } = await sharp(bytes).metadata();
    assert.deepEqual([width, height, format], [200, 200, 'webp']);
  });

  test('two spellings of one transformation are one file', async () => {
    const tags = await Promise.all(
      ['w-50_h-40.png', 'h-40_w-50.png', 'fit-cover_w-50_h-40.png', 'q-auto_h-40_w-50.png'].map(
        async (name) => (await get(generated + name)).headers.get('etag'),
      ),
    );
    assert.equal(new Set(tags).size, 1);
  });

  test('without a format, or with auto, Accept decides, and the answer says so', async () => {
    const types = async (name: string, accept: string) => {
      const { headers } = await get(generated + name, { Accept: accept });
      assert.match(headers.get('vary') ?? '', /Accept/);
      return headers.get('content-type');
    };
    for (const name of ['w-20', 'w-20.auto', 'original.auto']) {
      assert.equal(await types(name, 'image/avif,image/webp,*/*'), 'image/avif');
      assert.equal(await types(name, 'image/webp,*/*'), 'image/webp');
      assert.equal(await types(name, '*/*'), 'image/jpeg');
      assert.equal(await types(name, 'image/webp;q=0'), 'image/jpeg');
    }
    const { body } = await server.upload(await picture(9, 9, 'png', { alpha: true }));
    assert.equal(
      (await get(`${body.object_url}w-5`, { Accept: '*/*' })).headers.get('content-type'),
      'image/png',
    );
    assert.equal((await get(`${generated}w-20.webp`)).headers.get('vary'), null);
  });

  test('an animation stays one where the format can', async () => {
    const frames = await Promise.all([1, 2, 3, 4].map(() => picture(12, 10, 'png')));
    const animation = await sharp(frames, { join: { animated: true } })
      .gif()
      .toBuffer();
    const { body } = await server.upload(animation);
    const pages = async (name: string) =>
      (await sharp((await get(body.object_url + name)).bytes).metadata()).pages ?? 1;
    assert.deepEqual(
      await Promise.all(['w-6.webp', 'w-6.gif', 'w-6.png', 'w-6.jpg'].map(pages)),
      [4, 4, 1, 1],
    );
  });
});

describe('headers', () => {
  test('every answer may be used from any origin and is inert', async () => {
    for (const [name, status] of [
      ['original', 200],
      ['w-25.webp', 200],
      ['nope-1.webp', 400],
    ] as const) {
      const answer = await get(generated + name, { Origin: 'https://anywhere.example' });
      assert.equal(answer.status, status);
      assert.equal(answer.headers.get('access-control-allow-origin'), '*');
      assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
      assert.equal(answer.headers.get('content-security-policy'), "default-src 'none'; sandbox");
      assert.match(answer.headers.get('x-request-id') ?? '', /^req_/);
    }
  });

  test('a generated id never changes its meaning, a custom one may; errors are not kept', async () => {
    const policy = async (address: string) => (await get(address)).headers.get('cache-control');
    for (const name of ['original', 'original.webp', 'w-25.webp']) {
      assert.equal(await policy(generated + name), 'public, max-age=31536000, immutable');
      assert.equal(await policy(custom + name), 'public, max-age=3600, stale-while-revalidate=86400');
    }
    assert.equal(await policy(`${generated}w-0.webp`), 'no-store');
    assert.equal(await policy(generated.replace(/[^/]+\/$/, 'nobody/original')), 'no-store');
  });

  test('the ETag is strong, belongs to the bytes, and is the same each time', async () => {
    const tags = new Set<string | null>();
    for (const name of ['original', 'w-25.webp', 'w-26.webp']) {
      const first = await get(generated + name);
      assert.match(first.headers.get('etag') ?? '', /^"[\w-]{16,}"$/);
      assert.equal((await get(generated + name)).headers.get('etag'), first.headers.get('etag'));
      tags.add(first.headers.get('etag'));
    }
    assert.equal(tags.size, 3);
  });

  test('?dl downloads under the given name, whatever characters it has', async () => {
    const disposition = async (query: string) =>
      (await get(`${custom}original${query}`)).headers.get('content-disposition');
    assert.equal(await disposition(''), null);
    assert.match((await disposition('?dl=Sea%20side.jpg')) ?? '', /^attachment; filename="Sea side\.jpg"/);
    assert.match((await disposition('?dl')) ?? '', /^attachment; filename="named"/);
    assert.match((await disposition('?dl=')) ?? '', /^attachment; filename="named"/);
    assert.match((await disposition('?dl=%E2%98%83.jpg')) ?? '', /filename\*=UTF-8''%E2%98%83\.jpg$/);
    for (const name of [
      '%0D%0ASet-Cookie:%20a=b',
      '"; filename="evil.exe',
      '%00',
      '%ff%fe',
      '../../x',
      `${'x'.repeat(199)}%F0%9F%A6%8A`,
      'x'.repeat(5000),
      '%',
    ]) {
      const { status, headers } = await get(`${custom}original?dl=${name}`);
      assert.equal(status, 200, name);
      assert.match(
        headers.get('content-disposition') ?? '',
        /^attachment; filename="[\w .()-]*"; filename\*=UTF-8''[\w.%!~-]*$/,
      );
      assert.equal(headers.get('set-cookie'), null);
    }
    assert.equal(
      (await get(`${custom}w-25.webp?dl=a.webp`)).headers.get('content-disposition')?.slice(0, 10),
      'attachment',
    );
  });
});

describe('conditional requests', () => {
  test('a client that has the bytes is told so', async () => {
    for (const name of ['original', 'w-25.webp']) {
      const { headers } = await get(generated + name);
      const etag = headers.get('etag') ?? '';
      for (const condition of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const answer = await get(generated + name, { 'If-None-Match': condition });
        assert.deepEqual([answer.status, answer.bytes.length], [304, 0], condition);
        assert.equal(answer.headers.get('etag'), etag);
        assert.equal(answer.headers.get('cache-control'), headers.get('cache-control'));
      }
      assert.equal((await get(generated + name, { 'If-None-Match': '"other"' })).status, 200);
      assert.equal((await get(generated + name, { 'If-None-Match': etag }, 'HEAD')).status, 304);
      const withRange = await get(generated + name, { 'If-None-Match': etag, Range: 'bytes=0-1' });
      assert.equal(withRange.status, 304);
    }
  });

  test('the tag of deleted bytes does not fit what took their place', async () => {
    const first = await server.upload(file, { object: 'replaced' });
    const etag = (await get(first.body.original)).headers.get('etag') ?? '';
    await server.json('/delete/replaced', { method: 'DELETE' });
    const second = await server.upload(await picture(7, 7), { object: 'replaced' });
    assert.equal((await get(second.body.original, { 'If-None-Match': etag })).status, 200);
    assert.equal((await get(second.body.original, { 'If-Range': etag, Range: 'bytes=0-3' })).status, 200);
  });
});

describe('ranges', () => {
  let variant: Buffer;
  before(async () => {
    variant = (await get(`${generated}w-90.png`)).bytes;
  });

  for (const [name, whole] of [
    ['original', () => file],
    ['w-90.png', () => variant],
  ] as const) {
    test(`parts of ${name} are exact`, async () => {
      const bytes = whole();
      const size = bytes.length;
      const cases: [string, number, number][] = [
        ['bytes=0-0', 0, 1],
        ['bytes=0-99', 0, 100],
        ['bytes=100-', 100, size],
        ['bytes=-10', size - 10, size],
        [`bytes=-${size + 100}`, 0, size],
        [`bytes=${size - 1}-`, size - 1, size],
        [`bytes=5-${size + 1000}`, 5, size],
        ['bytes=0-99999999999999999999', 0, size],
        ['Bytes=3-4', 3, 5],
      ];
      for (const [range, start, end] of cases) {
        const answer = await get(generated + name, { Range: range });
        assert.equal(answer.status, 206, range);
        assert.deepEqual(answer.bytes, bytes.subarray(start, end), range);
        assert.equal(answer.headers.get('content-range'), `bytes ${start}-${end - 1}/${size}`);
        assert.equal(answer.headers.get('content-length'), String(end - start));
        assert.equal(answer.headers.get('accept-ranges'), 'bytes');
      }
    });

    test(`what lies outside ${name} is 416 and says how large it is`, async () => {
      const size = whole().length;
      for (const range of [
        `bytes=${size}-`,
        `bytes=${size + 5}-${size + 9}`,
        'bytes=-0',
        'bytes=99999999999999999999-',
      ]) {
        const answer = await fails(generated + name, { headers: { Range: range } });
        assertError(answer, 416, { code: 'range_not_satisfiable' });
        assert.equal(answer.headers.get('content-range'), `bytes */${size}`);
      }
    });

    test(`what is no range we know sends all of ${name}`, async () => {
      for (const range of [
        'bytes=5-2',
        'bytes=',
        'bytes=-',
        'bytes=a-b',
        'items=0-5',
        'bytes=0-1,5-6',
        'bytes 0-5',
        'bytes=0-5x',
        '',
      ])
        assert.deepEqual([(await get(generated + name, { Range: range })).status, range], [200, range]);
    });

    test(`If-Range sends a part of ${name} only when the tag is the same`, async () => {
      const etag = (await get(generated + name)).headers.get('etag') ?? '';
      const status = async (condition: string) =>
        (await get(generated + name, { Range: 'bytes=0-9', 'If-Range': condition })).status;
      assert.equal(await status(etag), 206);
      for (const other of ['"other"', `W/${etag}`, new Date().toUTCString()])
        assert.equal(await status(other), 200, other);
      const outside = await get(generated + name, { Range: 'bytes=99999999-', 'If-Range': '"other"' });
      assert.equal(outside.status, 200);
    });
  }

  test('a variant too large for memory is sent in parts too', async () => {
    const { body } = await server.upload(await picture(700, 700, 'png'));
    const whole = await get(`${body.object_url}w-600.png`);
    assert.ok(whole.bytes.length > 256 * 1024);
    const part = await get(`${body.object_url}w-600.png`, { Range: 'bytes=1000-1999' });
    assert.deepEqual(part.bytes, whole.bytes.subarray(1000, 2000));
    const headOnly = await get(`${body.object_url}w-600.png`, {}, 'HEAD');
    assert.equal(headOnly.headers.get('content-length'), String(whole.bytes.length));
  });
});

describe('methods', () => {
  test('HEAD has the headers of GET and no body, and knows no ranges', async () => {
    for (const name of ['original', 'w-25.webp', 'w-27.png']) {
      const headOnly = await get(generated + name, {}, 'HEAD');
      const full = await get(generated + name);
      assert.deepEqual([headOnly.status, headOnly.bytes.length], [200, 0]);
      for (const header of ['content-length', 'content-type', 'etag', 'cache-control'])
        assert.equal(headOnly.headers.get(header), full.headers.get(header), header);
      assert.equal((await get(generated + name, { Range: 'bytes=0-1' }, 'HEAD')).status, 200);
    }
    const missing = await get(`${generated}nope.webp`, {}, 'HEAD');
    assert.deepEqual([missing.status, missing.bytes.length], [400, 0]);
  });

  test('OPTIONS says what is allowed', async () => {
    const { status, headers } = await get(
      `${generated}original`,
      {
        Origin: 'https://a.example',
        'Access-Control-Request-Method': 'GET',
        'Access-Control-Request-Headers': 'range',
      },
      'OPTIONS',
    );
    assert.equal(status, 204);
    assert.equal(headers.get('access-control-allow-origin'), '*');
    assert.match(headers.get('access-control-allow-methods') ?? '', /GET, HEAD/);
    assert.equal(headers.get('access-control-allow-headers'), '*');
  });

  test('anything else is 405', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      const answer = await fails(`${generated}original`, { method });
      assertError(answer, 405, { code: 'method_not_allowed' });
      assert.equal(answer.headers.get('allow'), 'GET, HEAD, OPTIONS');
    }
  });
});

describe('what is not there, or makes no sense', () => {
  test('unknown tokens and formats, repeats and values out of range are 400 and named', async () => {
    const cases: [string, RegExp][] = [
      ['nope-5.webp', /"nope-5"/],
      ['w-0.webp', /1–8192/],
      ['w-8193.webp', /1–8192/],
      ['w-.webp', /1–8192/],
      ['w-5.5', /1–8192/],
      ['w--5.webp', /1–8192/],
      ['w-05.webp', /1–8192/],
      ['w-1e3.webp', /1–8192/],
      ['w-5_w-5.webp', /repeats w/],
      ['fit-stretch.webp', /cover, contain/],
      ['q-0.webp', /1–100/],
      ['original_w-5.webp', /original/],
      ['w-5_.webp', /empty token/],
      ['.webp', /empty|original/],
      ['w-5.bmp', /"bmp"/],
      ['w-5.svg', /"svg"/],
      ['w-5.WEBP', /"WEBP"/],
      ['constructor.webp', /"constructor"/],
      ['__proto__.webp', /empty token|token/],
      [`${'w-5_'.repeat(17)}h-5.webp`, /16 tokens|repeats/],
      [`${'x'.repeat(600)}.webp`, /512 bytes/],
      ['%00.webp', /token/],
      ['w-5%0d%0aX:%20y.webp', /range|token/],
      ['w-8192_h-8192.webp', /megapixels/],
    ];
    for (const [name, message] of cases)
      assertError(await fails(generated + name), 400, { message, code: 'invalid_transformation' });
  });

  test('unknown objects and buckets are 404, as is every address without a rendition', async () => {
    const [, bucket = ''] = /files\/([0-9a-f]{16})\//.exec(generated) ?? [];
    for (const path of [
      `/files/${bucket}/nobody/original`,
      `/files/0000000000000000/named/original`,
      `/files/${bucket}/named/`,
      `/files/${bucket}/named`,
      `/files/${bucket}/`,
      '/files/',
      '/files/x',
      `/files/${bucket.toUpperCase()}x/named/original`,
      `/files/${bucket}/named/original/more`,
      `/storage/${bucket}/named/original`,
      `/v1/files/${bucket}/named/original`,
    ])
      assertError(await fails(path), 404);
  });

  test('addresses that try to climb or to be decoded twice reach nothing', async () => {
    const [, bucket = ''] = /files\/([0-9a-f]{16})\//.exec(generated) ?? [];
    for (const target of [
      `/files/${bucket}/../${bucket}/named/original`,
      `/files/${bucket}/named/../../../tintype.db`,
      `/files/${bucket}/..%2f..%2ftintype.db/original`,
      `/files/${bucket}/%252e%252e/original`,
      `/files/${bucket}/named%00/original`,
      `/files/${bucket}/named/%2e%2e%2f%2e%2e%2ftintype.db`,
      `/files/${bucket}/named/original%`,
      `/files/${bucket}/named/%c0%ae`,
      `/files//${bucket}/named/original`,
      `/files/${bucket}/.staging/original`,
    ]) {
      const answer = await sendRaw(server, head('GET', target));
      assertError(answer, answer.status);
      assert.ok([400, 404].includes(answer.status), `${target}: ${answer.status}`);
    }
    const { status } = await sendRaw(server, head('GET', `/files/${bucket}/%6eamed/original`));
    assert.equal(status, 200, 'one decoding is right');
  });

  test('a file lost from disk is an error of ours, said in JSON', { skip: aboutFolders }, async () => {
    await using other = await startServer({}, { runJobs: false });
    const { body } = await other.upload(file);
    await rm(join(other.dataDir, 'files'), { recursive: true });
    assertError(await other.json(body.original, { key: null }), 500, { code: 'internal' });
  });
});

describe('backends', () => {
  test('the backend chosen in the settings keeps new objects; old ones stay where they are', async () => {
    const account = await newAccount(server);
    const key = account.api_key;
    const choose = (backend: string) =>
      server.json('/user/', { ...sendJson('PATCH', { storage_backend: backend }), key });
    const before = await server.upload(file, { object: 'old' }, { key });
    assert.equal((await choose('storage')).body.storage_backend, 'storage');
    const after = await server.upload(file, { object: 'new' }, { key });
    await choose('files');
    assert.ok(before.body.object_url.startsWith(`${server.url}/files/${account.bucket_id}/old/`));
    assert.ok(after.body.object_url.startsWith(`${server.url}/storage/${account.bucket_id}/new/`));
    for (const { body } of [before, after]) {
      assert.deepEqual((await get(body.original)).bytes, file);
      assert.equal((await get(body.optimised)).status, 200);
      const elsewhere = body.original.includes('/files/')
        ? body.original.replace('/files/', '/storage/')
        : body.original.replace('/storage/', '/files/');
      assertError(await fails(elsewhere), 404);
    }
    const { body: listing } = await server.json('/get/', { key });
    assert.deepEqual(listing.objects, [after.body.object_url, before.body.object_url]);
    await server.json('/delete/new', { method: 'DELETE', key });
    assertError(await fails(after.body.original), 404);
  });
});

describe('hosts of their own', () => {
  let own: TestServer;
  let path: string;
  before(async () => {
    own = await startServer({
      FILES_URL: 'https://img.example.com',
      STORAGE_URL: 'https://cdn.example.com/s',
    });
    const { body } = await own.upload(file, { object: 'hosted' });
    assert.match(body.object_url, /^https:\/\/img\.example\.com\/[0-9a-f]{16}\/hosted\/$/);
    path = new URL(body.object_url).pathname;
  });
  after(() => own.stop());

  test('the host serves objects, and nothing but objects', async () => {
    const ask = (target: string, host: string) =>
      sendRaw(own, head('GET', target, { Host: host, Connection: 'close' }));
    for (const host of ['img.example.com', 'IMG.Example.com']) {
      assert.equal((await ask(`${path}original`, host)).status, 200, host);
      for (const target of [
        '/',
        '/get/',
        '/docs',
        '/openapi.json',
        '/health/live',
        '/metrics',
        '/upload/',
        '/v1/get/',
      ])
        assertError(await ask(target, host), 404);
    }
    assertError(await ask(`${path}original`, 'localhost'), 404);
    assert.equal((await ask('/get/', 'localhost')).status, 200);
    assertError(await ask('/get/', 'cdn.example.com'), 404);
  });

  test('an address with a path is known by that path on every host', async () => {
    await own.json('/user/', sendJson('PATCH', { storage_backend: 'storage' }));
    const { body } = await own.upload(file, { object: 'by-path' });
    const target = `${new URL(body.object_url).pathname}original`;
    assert.match(target, /^\/s\/[0-9a-f]{16}\/by-path\/original$/);
    for (const host of ['cdn.example.com', 'origin.internal', 'localhost'])
      assert.equal((await sendRaw(own, head('GET', target, { Host: host }))).status, 200, host);
  });

  test('files may share the root of the API’s own address', async () => {
    const base = 'http://pictures.example.com';
    await using shared = await startServer({ BASE_URL: base, FILES_URL: base });
    const { status, body } = await shared.upload(file, { object: 'rooted' });
    assert.equal(status, 200);
    assert.equal((await shared.call(new URL(body.original).pathname, { key: null })).status, 200);
    assert.equal((await shared.json('/get/')).status, 200);
  });
});

describe('transform_policy signed', () => {
  let url: string;
  let secret: string;
  before(async () => {
    const { api_key: key } = await newAccount(server);
    url = (await server.upload(file, {}, { key })).body.object_url;
    const { body } = await server.json('/user/', {
      ...sendJson('PATCH', { transform_policy: 'signed' }),
      key,
    });
    secret = body.signing_secret;
    assert.ok(secret.length >= 32);
  });

  const inAnHour = () => Math.floor(Date.now() / 1000) + 3600;
  function signed(name: string, exp: number | string = inAnHour(), withSecret = secret): string {
    const path = new URL(url + name).pathname;
    const sig = createHmac('sha256', withSecret).update(`${path}?exp=${exp}`).digest('base64url');
    return `${url}${name}?exp=${exp}&sig=${sig}`;
  }
  const refused = { code: 'transformation_not_allowed' };

  test('what listings hand out stays open, the rest needs a signature', async () => {
    for (const name of ['original', 'original.webp', 'h-200_w-200.webp', 'w-200_h-200.webp'])
      assert.equal((await get(url + name)).status, 200, name);
    for (const name of ['original.png', 'w-10.webp', 'original.avif', 'w-201_h-200.webp']) {
      assertError(await fails(url + name), 403, refused);
      assert.equal((await get(signed(name))).status, 200, name);
      assertError(await fails(url + name), 403, refused);
    }
  });

  test('a signature fits its own path, time and secret only', async () => {
    const good = signed('w-11.webp');
    assert.equal((await get(good)).status, 200);
    assert.equal((await get(`${good}&dl=a.webp`)).status, 200);
    const exp = inAnHour();
    for (const bad of [
      good.replace('w-11', 'w-12'),
      good.replace(/exp=\d+/, `exp=${exp + 5}`),
      good.replace(/sig=.*/, 'sig='),
      good.replace(/&sig=.*/, ''),
      good.replace(/exp=\d+&/, ''),
      good.slice(0, -2),
      `${good}AAAA`,
      signed('w-11.webp', Math.floor(Date.now() / 1000) - 5),
      signed('w-11.webp', exp, 'another secret'),
      signed('w-11.webp', ''),
      signed('w-11.webp', '1e12'),
      signed('w-11.webp', '9'.repeat(30)),
    ])
      assertError(await fails(bad), 403, refused);
  });
});
