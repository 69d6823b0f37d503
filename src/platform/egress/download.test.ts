import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { type FileSource, fileSource } from '../../../test/support/file-source.ts';
import { insideHosts } from '../../../test/support/inside-hosts.ts';
import { download, type DownloadOptions } from './download.ts';

let source: FileSource;
before(async () => {
  const to = (location: string, status = 302) => ({
    [`/to-${status}`]: (response: { writeHead(status: number, headers: object): { end(): void } }) =>
      response.writeHead(status, { Location: location }).end(),
  });
  source = await fileSource({
    '/file': (response) => response.writeHead(200, { 'Content-Type': 'image/png' }).end('bytes'),
    ...to('/file', 301),
    ...to('/file', 302),
    ...to('/file', 303),
    ...to('file', 307),
    ...to('./file', 308),
    '/chain': (response, request) => {
      const left = Number(request.url?.split('?')[1]);
      response.writeHead(302, { Location: left > 0 ? `/chain?${left - 1}` : '/file' }).end();
    },
    '/no-place': (response) => response.writeHead(302).end('nowhere'),
    '/file-scheme': (response) => response.writeHead(302, { Location: 'file:///etc/passwd' }).end(),
    '/with-password': (response, request) =>
      response.writeHead(302, { Location: `http://me:secret@${request.headers.host}/file` }).end(),
    '/silent': () => undefined,
    '/echo': (response, request) => response.end(JSON.stringify(request.headers)),
  });
});
after(() => source[Symbol.asyncDispose]());

const get = (path: string, options: Partial<DownloadOptions> = {}) =>
  download({
    audience: 'account',
    allowPrivate: true,
    url: source.url + path,
    answerMs: 2000,
    signal: new AbortController().signal,
    ...options,
  } as DownloadOptions);

describe('a file from an address', () => {
  test('comes as a stream, after redirects', async () => {
    for (const path of ['/file', '/to-301', '/to-302', '/to-303', '/to-307', '/to-308', '/chain?4']) {
      const { status, url, headers, body } = await get(path);
      assert.deepEqual([status, url.pathname, headers['content-type']], [200, '/file', 'image/png'], path);
      assert.equal(await text(body), 'bytes');
    }
  });

  test('comes with nothing of ours but who asks', async () => {
    const { body } = await get('/echo');
    const headers = JSON.parse(await text(body)) as Record<string, string>;
    assert.deepEqual(Object.keys(headers).sort(), [
      'accept',
      'accept-encoding',
      'connection',
      'host',
      'user-agent',
    ]);
    assert.equal(headers['accept-encoding'], 'identity');
  });

  test('is followed five times, and to web addresses only', async () => {
    await assert.rejects(get('/chain?5'), { message: 'it was redirected more than 5 times' });
    await assert.rejects(get('/file-scheme'), { message: /no web address/ });
    const nowhere = await get('/no-place');
    assert.equal(nowhere.status, 302);
    nowhere.body.destroy();
  });

  test('is never asked for with a name and password a redirect holds', async () => {
    const { status, url, body } = await get('/with-password');
    assert.deepEqual([status, url.username, url.password], [200, '', '']);
    body.destroy();
  });

  test('that does not answer in time is given up', async () => {
    await assert.rejects(get('/silent', { answerMs: 100 }), { message: 'no answer within 0.1 s' });
  });

  test('that leads inside is not asked for, neither at first nor after a redirect', async () => {
    const before = source.paths.length;
    const { port } = new URL(source.url);
    for (const host of insideHosts)
      await assert.rejects(
        get('', {
          url: `http://${host}:${port}/file`,
          allowPrivate: false,
          resolve: async () => ['127.0.0.1'],
        }),
        /not on the public internet|Invalid URL/,
        host,
      );
    assert.equal(source.paths.length, before);
    // Each address is judged by what is allowed when its turn comes.
    let asked = 0;
    const onlyFirst = {
      get allowPrivate() {
        asked += 1;
        return asked === 1;
      },
    };
    await assert.rejects(
      download(Object.defineProperties(optionsFor('/to-302'), Object.getOwnPropertyDescriptors(onlyFirst))),
      {
        message: 'the address is not on the public internet',
      },
    );
    assert.deepEqual(source.paths.slice(before), ['/to-302']);
  });
});

function optionsFor(path: string): DownloadOptions {
  const signal = new AbortController().signal;
  return { audience: 'account', allowPrivate: true, url: source.url + path, answerMs: 2000, signal };
}
