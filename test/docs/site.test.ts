// The documentation as a site: built from docs/, served as it is, and nothing of it inline or from elsewhere.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { allPages, readGroups } from '../../scripts/docs/pages.ts';
import { buildDocs } from '../../scripts/build-docs.ts';
import { docsRoutes } from '../../src/docs-routes.ts';
import { createHttpServer, type HttpApp } from '../../src/platform/http/http-server.ts';
import { referenceRoutes } from '../../src/platform/http/openapi.ts';
import { createLog } from '../../src/platform/log.ts';

let folder: string;
let app: HttpApp;
let pages: string[];

function serve(from: string): HttpApp {
  const http = createHttpServer({ log: createLog('silent') });
  docsRoutes(http, { folder: from });
  referenceRoutes(http);
  return http;
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tintype-docs-'));
  await buildDocs(folder);
  app = serve(folder);
  const files = await readdir(folder);
  pages = files.filter((name) => name.endsWith('.html')).map((name) => name.replace('.html', ''));
});
after(async () => {
  await app.close();
  await rm(folder, { recursive: true });
});

describe('the site', () => {
  test('has every page of the navigation, with its title', async () => {
    for (const { name, title } of allPages(readGroups())) {
      const { statusCode, body, headers } = await app.inject(`/docs/${name}`);
      assert.equal(statusCode, 200, name);
      assert.equal(headers['content-type'], 'text/html; charset=utf-8');
      assert.ok(body.includes(`<title>${title} · Tintype</title>`), name);
    }
  });

  test('every address in it is answered', async () => {
    const asked = new Map<string, number>();
    for (const name of pages) {
      const { body } = await app.inject(name === 'index' ? '/docs' : `/docs/${name}`);
      for (const [, address = ''] of body.matchAll(/ (?:href|src)="(\/docs[^"#]*)/g))
        if (!asked.has(address)) asked.set(address, (await app.inject(address)).statusCode);
    }
    assert.ok(asked.size > 40);
    assert.deepEqual(
      [...asked].filter(([, status]) => status !== 200),
      [],
    );
  });

  test('nothing is inline, nothing comes from elsewhere, and the policy says so', async () => {
    for (const name of pages) {
      const { body, headers } = await app.inject(name === 'index' ? '/docs' : `/docs/${name}`);
      const policy = String(headers['content-security-policy']);
      assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';/);
      assert.doesNotMatch(policy, /unsafe/);
      assert.doesNotMatch(body, /<style|<script(?! src="\/docs\/assets\/)| style="| on[a-z]+="/, name);
      assert.doesNotMatch(body, /<(?:img|link|script|iframe)[^>]* (?:src|href)="(?!\/docs\/)/, name);
    }
  });

  test('files named by their content may be kept, pages are asked for again and are 304 when they are the same', async () => {
    const { body, headers } = await app.inject('/docs');
    const [, style = ''] = /href="([^"]+\.css)"/.exec(body) ?? [];
    const { headers: styleHeaders } = await app.inject(style);
    assert.equal(styleHeaders['cache-control'], 'public, max-age=31536000, immutable');
    assert.equal(headers['cache-control'], 'no-cache');
    const again = await app.inject({ url: '/docs', headers: { 'If-None-Match': String(headers['etag']) } });
    assert.deepEqual([again.statusCode, again.body], [304, '']);
    for (const [condition, status] of [
      [`"other", ${String(headers['etag'])}`, 304],
      [`W/${String(headers['etag'])}`, 304],
      ['*', 304],
      ['"other"', 200],
    ] as const) {
      const answer = await app.inject({ url: '/docs', headers: { 'If-None-Match': condition } });
      assert.equal(answer.statusCode, status, condition);
    }
  });

  test('a page is compressed by what the client accepts, and by nothing it refuses', async () => {
    for (const [accepted, encoding] of [
      ['gzip, deflate, br', 'br'],
      ['br;q=0, gzip', 'gzip'],
      ['br;q=0, gzip;q=0', undefined],
      ['*;q=0', undefined],
      ['identity', undefined],
    ] as const) {
      const { headers } = await app.inject({ url: '/docs', headers: { 'Accept-Encoding': accepted } });
      assert.equal(headers['content-encoding'], encoding, accepted);
      assert.equal(headers['vary'], 'Accept-Encoding');
    }
  });

  test('what is not there, or outside of it, is 404', async () => {
    for (const path of [
      '/docs/nothing',
      '/docs/assets/nothing.js',
      '/docs/images/%2e%2e/index.html',
      '/docs/images/..%2f..%2fpackage.json',
    ])
      assert.equal((await app.inject(path)).statusCode, 404, path);
  });
});

test('where it was not built, /docs is the reference of the API', async () => {
  const bare = serve(join(folder, 'nowhere'));
  const { statusCode, headers, body } = await bare.inject('/docs');
  assert.equal(statusCode, 200);
  assert.equal(body, (await bare.inject('/docs/api-reference')).body);
  assert.match(String(headers['content-security-policy']), /script-src 'self'(;|$)/);
  assert.equal((await bare.inject('/docs/api')).statusCode, 404);
  await bare.close();
});
