import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { standIn } from '../../../test/support/stand-in.ts';
import { guardedFetch } from './guarded-fetch.ts';

const fetchOut = guardedFetch({ audience: 'operator', deadlineMs: 2000, maxBytes: 1000 });

/** Answers with what it was sent. */
async function echo() {
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { authorization, 'content-type': type, 'accept-encoding': encoding } = request.headers;
      response.writeHead(request.url === '/teapot' ? 418 : 200, {
        'Content-Type': 'application/json',
        'Set-Cookie': ['a=1', 'b=2'],
      });
      const { method, url } = request;
      response.end(JSON.stringify({ method, url, authorization, type, encoding, body }));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

describe('a guarded fetch', () => {
  test('takes what libraries give, and answers a real Response', async () => {
    await using server = await echo();
    const headers = { Authorization: 'Bearer x', 'Content-Type': 'application/json' };
    const sent: [Parameters<typeof fetch>, object][] = [
      [[`${server.url}/a?b=c`], { method: 'GET', url: '/a?b=c', body: '' }],
      [
        [new URL(server.url), { method: 'POST', headers, body: '{"ü":1}' }],
        { method: 'POST', authorization: 'Bearer x', type: 'application/json', body: '{"ü":1}' },
      ],
      [
        [server.url, { method: 'PUT', headers: new Headers(headers), body: Buffer.from('bytes') }],
        { method: 'PUT', authorization: 'Bearer x', body: 'bytes' },
      ],
      [
        [new Request(server.url, { method: 'PATCH', body: new URLSearchParams({ a: '1' }) })],
        { method: 'PATCH', type: 'application/x-www-form-urlencoded;charset=UTF-8', body: 'a=1' },
      ],
      [[server.url, { method: 'DELETE' }], { method: 'DELETE', body: '', encoding: 'identity' }],
    ];
    for (const [given, expected] of sent) {
      const response = await fetchOut(...given);
      assert.ok(response instanceof Response && response.ok);
      assert.equal(response.headers.get('content-type'), 'application/json');
      assert.deepEqual(response.headers.getSetCookie(), ['a=1', 'b=2']);
      assert.partialDeepStrictEqual(await response.json(), expected);
    }
    const teapot = await fetchOut(`${server.url}/teapot`);
    assert.deepEqual([teapot.status, teapot.ok], [418, false]);
    assert.match(await teapot.text(), /"\/teapot"/);
  });

  test('follows no redirect, and knows answers without a body', async () => {
    for (const status of [302, 204, 304]) {
      await using server = await standIn([status]);
      assert.equal((await fetchOut(server.url)).status, status);
      assert.equal(server.seen.length, 1);
    }
  });

  test('ends when its caller says so, as fetch does', async () => {
    await using server = await standIn([0]);
    await assert.rejects(fetchOut(server.url, { signal: AbortSignal.abort() }), { name: 'AbortError' });
    await assert.rejects(fetchOut(server.url, { signal: AbortSignal.timeout(50) }), { name: 'TimeoutError' });
    assert.equal(server.seen.length, 1);
  });

  test('fails as fetch does: late, too long, and inside for an account', async () => {
    await using hanging = await standIn([0]);
    const late = guardedFetch({ audience: 'operator', deadlineMs: 100, maxBytes: 1000 });
    await assert.rejects(late(hanging.url), { name: 'TypeError', message: 'no answer within 0.1 s' });
    await using server = await echo();
    await assert.rejects(fetchOut(server.url, { method: 'POST', body: 'x'.repeat(1001) }), {
      name: 'TypeError',
      message: 'the answer is too long',
    });
    const account = { audience: 'account', deadlineMs: 1000, maxBytes: 1000 } as const;
    const forAccount = guardedFetch({ ...account, allowPrivate: false });
    await assert.rejects(forAccount(server.url), { message: 'the address is not on the public internet' });
    const allowed = guardedFetch({ ...account, allowPrivate: true });
    assert.equal((await allowed(server.url)).status, 200);
  });
});
