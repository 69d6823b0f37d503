// What the client makes of services that are busy, gone, or hidden behind something that answers in their place.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { image, isRefusal, signAddress, Tintype } from '../../client/src/index.ts';
import { freePort } from '../support/free-port.ts';
import { picture } from '../support/pictures.ts';
import { operatorKey, startServer } from '../support/server.ts';

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** Answers in turn, and the last for ever. */
async function answering(...answers: Answer[]) {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    const answer = answers[Math.min(requests.length, answers.length - 1)] as Answer;
    requests.push(request);
    request.resume().on('end', () => answer(response, request));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    requests,
    tintype: new Tintype({ url, key: 'some-key' }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
const busy: Answer = (response) =>
  response.writeHead(503, { 'X-Error-Code': 'overloaded', 'X-Request-Id': 'r1' }).end('{"error":"Busy"}');
const fine: Answer = (response) => response.end('{"tags":[]}');

test('busy: asked again after a while, and then it works', async () => {
  await using service = await answering(busy, busy, fine);
  assert.deepEqual(await service.tintype.tags(), []);
  assert.equal(service.requests.length, 3);
});

test('busy for longer: the refusal, after a few tries', async () => {
  await using service = await answering(busy);
  await assert.rejects(service.tintype.tags(), (error) => {
    assert.ok(isRefusal(error, 'overloaded'));
    assert.equal(error.message, 'Busy');
    assert.equal(error.requestId, 'r1');
    return true;
  });
  assert.equal(service.requests.length, 3);
});

test('told to come back much later: left to the caller', async () => {
  await using service = await answering((response) =>
    response
      .writeHead(429, { 'Retry-After': '60', 'X-Error-Code': 'rate_limited' })
      .end('{"error":"Rate limit exceeded"}'),
  );
  await assert.rejects(service.tintype.tags(), { code: 'rate_limited', retryAfterSeconds: 60 });
  assert.equal(service.requests.length, 1);
});

test('what changes something is asked once, uploads as often as it takes under one key', async () => {
  await using service = await answering(busy);
  await assert.rejects(service.tintype.delete('x'), { code: 'overloaded' });
  assert.equal(service.requests.length, 1);
  await assert.rejects(service.tintype.upload(new Uint8Array([1])), { code: 'overloaded' });
  const keys = service.requests.slice(1).map((request) => request.headers['idempotency-key']);
  assert.equal(keys.length, 3);
  assert.equal(new Set(keys).size, 1);
});

test('something else answers: a refusal all the same', async () => {
  await using service = await answering((response) => response.writeHead(404).end('<h1>nginx</h1>'));
  await assert.rejects(service.tintype.tags(), {
    code: 'unknown',
    status: 404,
    message: 'The service answered 404',
  });
});

test('a page where JSON should be is a refusal, not a crash', async () => {
  await using service = await answering((response) => response.end('<h1>hello</h1>'));
  await assert.rejects(service.tintype.tags(), { name: 'TintypeError', code: 'unknown' });
});

test('nobody there, or a line that breaks: ConnectionError', async () => {
  const nobody = new Tintype({ url: `http://127.0.0.1:${await freePort()}/`, retries: 0 });
  await assert.rejects(nobody.tags(), { name: 'ConnectionError', message: /cannot be reached/ });
  await using service = await answering((response) => {
    response.writeHead(200, { 'Content-Length': '100' });
    response.write('{"tags":', () => response.destroy());
  });
  await assert.rejects(service.tintype.tags(), { name: 'ConnectionError' });
});

test('names are never part of a path', async () => {
  await using service = await answering((response) => response.end('{}'));
  await service.tintype.get('../user');
  assert.equal(service.requests[0]?.url, '/get/..%2Fuser');
  for (const id of ['', '.', '..']) await assert.rejects(async () => service.tintype.get(id), TypeError);
  for (const address of ['', '@evil.example/x', '.evil.example/upload', 'https://evil.example/x'])
    await assert.rejects(service.tintype.cancelResumable(address), TypeError);
  assert.equal(service.requests.length, 1);
});

test('a signed address is one the service accepts', async () => {
  await using server = await startServer();
  const tintype = new Tintype({ url: server.url, key: operatorKey });
  const { signing_secret: secret } = await tintype.account.change({ transform_policy: 'signed' });
  const stored = await tintype.upload(new Uint8Array(await picture(40, 30)));
  const { url } = image(stored.object_url).width(17).format('png');
  assert.equal((await fetch(url)).status, 403);
  const signed = await signAddress(url, secret ?? '', new Date(Date.now() + 60_000));
  assert.equal((await fetch(signed)).status, 200);
  assert.equal(
    (await fetch(await signAddress(url, secret ?? '', new Date(Date.now() - 60_000)))).status,
    403,
  );
  await tintype.account.change({ transform_policy: 'open' });
});
