import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { freePort } from '../../../test/support/free-port.ts';
import { callOut, type OutgoingCall } from './call-out.ts';

async function serving(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/path?query=1`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
type More = Omit<Partial<OutgoingCall>, 'audience'>;
const common = { method: 'POST', headers: { 'X-Secret': 'hush' }, deadlineMs: 5000 };
const call = async (url: string, more: More = {}): Promise<{ status: number }> => {
  const { status } = await callOut({ ...common, audience: 'operator', url, ...more });
  return { status };
};

describe('calling out', () => {
  test('sends method, path, headers and body as they are, and tells any status', async () => {
    let seen: unknown;
    await using server = await serving((request, response) => {
      void text(request).then((body) => {
        seen = [
          request.method,
          request.url,
          request.headers['x-secret'],
          request.headers['content-length'],
          body,
        ];
        response.writeHead(418).end();
      });
    });
    assert.deepEqual(await call(server.url, { method: 'PURGE', body: 'ünï' }), { status: 418 });
    assert.deepEqual(seen, ['PURGE', '/path?query=1', 'hush', '5', 'ünï']);
  });

  test('follows no redirect', async () => {
    let calls = 0;
    await using server = await serving((_request, response) => {
      calls += 1;
      response.writeHead(302, { Location: '/elsewhere' }).end();
    });
    assert.deepEqual(await call(server.url), { status: 302 });
    assert.equal(calls, 1);
  });

  test('does not read an endless answer to its end, nor wait for one that hangs after its status', async () => {
    await using endless = await serving((_request, response) => {
      response.writeHead(200);
      const more = (): void => void (response.destroyed || response.write(Buffer.alloc(16_384), more));
      more();
    });
    assert.deepEqual(await call(endless.url), { status: 200 });
    await using hanging = await serving((_request, response) => void response.writeHead(200).write('begun'));
    assert.deepEqual(await call(hanging.url, { deadlineMs: 200 }), { status: 200 });
  });

  test('gives up at its deadline or when told to, and says nothing of what was sent', async () => {
    await using server = await serving(() => undefined);
    await assert.rejects(call(server.url, { deadlineMs: 150 }), { message: 'no answer within 0.15 s' });
    const signal = AbortSignal.timeout(50);
    await assert.rejects(call(server.url, { signal }), { message: 'no connection (ABORT_ERR)' });
    const nobody = `http://127.0.0.1:${await freePort()}/hush`;
    await assert.rejects(call(nobody), { message: 'no connection (ECONNREFUSED)' });
    await assert.rejects(call('https://name.invalid/hush'), (error: Error) => {
      assert.doesNotMatch(`${error.message} ${error.stack} ${String(error.cause)}`, /hush|name\.invalid/);
      return true;
    });
  });
});

describe('an answer that is read', () => {
  const read = (url: string, maxBytes: number, deadlineMs = 5000) =>
    callOut({ ...common, audience: 'operator', url, deadlineMs, readBody: { maxBytes } });

  test('comes with status, headers and body', async () => {
    await using server = await serving((_request, response) =>
      response.writeHead(404, { 'X-Kind': 'some' }).end('ünï'),
    );
    const { status, headers, body } = await read(server.url, 5);
    assert.deepEqual([status, headers['x-kind'], body.toString()], [404, 'some', 'ünï']);
    await assert.rejects(read(server.url, 4), { message: 'the answer is too long' });
  });

  test('must be whole, and in time', async () => {
    await using cut = await serving((_request, response) => {
      response.writeHead(200, { 'Content-Length': '10' }).write('begun', () => response.destroy());
    });
    await assert.rejects(read(cut.url, 100), { message: 'no connection (ECONNRESET)' });
    await using hanging = await serving((_request, response) => void response.writeHead(200).write('begun'));
    await assert.rejects(read(hanging.url, 100, 200), { message: 'no answer within 0.2 s' });
  });
});
