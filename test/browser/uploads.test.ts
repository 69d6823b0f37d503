// The page of the documentation in a real browser, from an origin of its own: it must work as it is printed there.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { sendJson } from '../support/accounts.ts';
import { browserPath, launchBrowser } from '../support/browser.ts';
import { picture } from '../support/pictures.ts';
import { startServer, type TestServer } from '../support/server.ts';

const executable = browserPath();
const skip = executable === null && 'NO CHROMIUM IS INSTALLED: nothing was uploaded';
const library = join(
  dirname(createRequire(import.meta.url).resolve('tus-js-client/package.json')),
  'dist/tus.min.js',
);

describe('in a browser, from another origin', { skip }, () => {
  let server: TestServer;
  let browser: Browser;
  let site: Awaited<ReturnType<typeof serveSite>>;
  before(async () => {
    server = await startServer();
    site = await serveSite(server);
    browser = await launchBrowser(executable as string);
  });
  after(async () => {
    await browser.close();
    await site[Symbol.asyncDispose]();
    await server.stop();
  });

  test('the page of the documentation uploads with a token', async () => {
    const file = Buffer.concat([await picture(320, 200), Buffer.alloc(3_000_000, 'x')]);
    const page = await browser.newPage();
    await page.goto(site.url);
    await page.setInputFiles('input', { name: 'Küste.jpg', mimeType: 'image/jpeg', buffer: file });
    await page.waitForFunction(`document.querySelector('p').textContent !== ''`);
    const url = (await page.textContent('p')) as string;
    assert.match(url, new RegExp(`^${RegExp.escape(server.url)}/files/`), url);
    const original = await server.call(`${url}original`, { key: null });
    assert.deepEqual(Buffer.from(await original.arrayBuffer()), file);
    const { body } = await server.json(`/get/${url.split('/').at(-2)}`);
    assert.deepEqual([body.original_file_name, body.folder], ['Küste.jpg', 'inbox']);
    await page.close();
  });

  test('and shows why a file is refused', async () => {
    const page = await browser.newPage();
    await page.goto(site.url);
    await page.setInputFiles('input', {
      name: 'x.jpg',
      mimeType: 'image/jpeg',
      buffer: Buffer.from('no picture'),
    });
    await page.waitForFunction(`document.querySelector('p').textContent !== ''`);
    assert.match((await page.textContent('p')) as string, /^This is not a supported image or video/);
    await page.close();
  });

  test('the plain form works too', async () => {
    const page = await browser.newPage();
    await page.goto(site.url);
    const bytes = [...(await picture(8, 8))];
    const width = await page.evaluate(sendForm, bytes);
    assert.equal(width, 8);
    await page.close();
  });
});

/** Runs in the browser. */
async function sendForm(bytes: number[]): Promise<number> {
  const signed: any = await (await fetch('/my-server/token', { method: 'POST' })).json();
  const { token, upload_url: url } = signed;
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(bytes)]), 'x.png');
  const answer = await fetch(url, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}` },
    body: form,
  });
  const stored: any = await answer.json();
  return stored.width;
}

/** A customer's own site: the page, the library, and the one call that needs the key. */
async function serveSite(service: TestServer): Promise<{ url: string } & AsyncDisposable> {
  const [, printed = ''] = /```html\n([\s\S]+?)```/.exec(readFileSync('docs/uploads.md', 'utf8')) ?? [];
  const page = printed.replace('https://esm.sh/tus-js-client@4', '/library.js');
  assert.notEqual(page, printed);
  const module = `${readFileSync(library, 'utf8')}\nexport const { Upload } = globalThis.tus;`;
  const site = createServer(({ url }, response) => {
    if (url === '/my-server/token')
      void service
        .json('/upload/sign', sendJson('POST', { folder: 'inbox', type: 'image' }))
        .then(({ body }) => response.end(JSON.stringify(body)));
    else if (url === '/library.js')
      response.writeHead(200, { 'Content-Type': 'text/javascript' }).end(module);
    else response.writeHead(200, { 'Content-Type': 'text/html' }).end(page);
  }).listen(0, '127.0.0.1');
  await once(site, 'listening');
  return {
    url: `http://127.0.0.1:${(site.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      site.closeAllConnections();
      site.close();
      await once(site, 'close');
    },
  };
}
