import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { putInFront } from './connection-front.ts';

const times = { headersMs: 150, keepAliveMs: 200, idleSocketMs: 600 };
const small = { head: 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n', body: Buffer.from('small') };
const largeBytes = 4 * 1024 * 1024;
const large = {
  head: `HTTP/1.1 200 OK\r\nContent-Length: ${largeBytes}\r\n`,
  body: Buffer.alloc(largeBytes, 'x'),
};
const get = (target: string): string => `GET ${target} HTTP/1.1\r\nHost: h\r\n\r\n`;

let server: Server;
let behind: string[];
let faults: (string | undefined)[];
let answered: number;
beforeEach(async () => {
  behind = [];
  faults = [];
  answered = 0;
  server = createServer((request, response) => {
    behind.push(request.url ?? '');
    response.end('behind');
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    faults.push(error.code);
    socket.end('HTTP/1.1 408 Request Timeout\r\n\r\n');
  });
  putInFront(server, {
    answerTo: (host, target) =>
      host === 'h' ? ({ '/small': small, '/large': large }[target] ?? null) : null,
    answered: () => (answered += 1),
    ...times,
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterEach(() => {
  server.close();
  server.closeAllConnections();
});

async function open(): Promise<{ socket: Socket; heard: () => string; ended: Promise<unknown> }> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return { socket, heard: () => Buffer.concat(chunks).toString(), ended: once(socket, 'close') };
}
const connections = (): Promise<number> =>
  new Promise((resolve) => server.getConnections((_, count) => resolve(count)));
const answersIn = (text: string): number => text.match(/HTTP\/1\.1 200 OK/g)?.length ?? 0;

async function untilEnded(ended: Promise<unknown>): Promise<number> {
  const began = performance.now();
  await ended;
  return performance.now() - began;
}

describe('the front', () => {
  test('answers what is prepared, and the server behind it never hears of it', async () => {
    const { socket, heard } = await open();
    socket.write(get('/small') + get('/small'));
    await pause(50);
    assert.match(heard(), /^HTTP\/1\.1 200 OK\r\nContent-Length: 5\r\nX-Request-Id: req_[\w-]{12}\r\nDate: /);
    assert.match(heard(), /\r\nConnection: keep-alive\r\nKeep-Alive: timeout=0\r\n\r\nsmall/);
    assert.deepEqual([answersIn(heard()), answered, behind], [2, 2, []]);
    assert.equal(new Set(heard().match(/req_[\w-]{12}/g)).size, 2);
  });

  test('hands everything else over, in order and for good', async () => {
    const { socket, heard } = await open();
    socket.write(get('/small'));
    await pause(30);
    socket.write(get('/other') + get('/small'));
    await pause(30);
    socket.write(get('/small'));
    await pause(30);
    assert.deepEqual([answersIn(heard()), answered, behind], [4, 1, ['/other', '/small', '/small']]);
  });

  test('who asks nothing is told so, who asks no more is cut off', async () => {
    const silent = await open();
    const idle = await open();
    idle.socket.write(get('/small'));
    assert.ok((await untilEnded(silent.ended)) >= times.headersMs - 20);
    assert.match(silent.heard(), /^HTTP\/1\.1 408/);
    assert.deepEqual(faults, ['ERR_HTTP_REQUEST_TIMEOUT']);
    await idle.ended;
    assert.equal(answersIn(idle.heard()), 1);
  });

  test('who does not read is waited for, and cut off when nothing moves', async () => {
    const { socket, ended } = await open();
    socket.pause();
    socket.write(get('/large').repeat(50));
    await pause(times.keepAliveMs + 100);
    assert.ok(answered < 5, `${answered} answers written for nobody`);
    assert.equal(await connections(), 1);
    await pause(3 * times.idleSocketMs);
    assert.equal(await connections(), 0);
    socket.resume();
    await ended;
  });

  test('who reads late gets every answer whole', async () => {
    const { socket, heard } = await open();
    socket.pause();
    socket.write((get('/large') + get('/small').repeat(50)).repeat(3));
    await pause(100);
    socket.resume();
    while (heard().length < 3 * largeBytes) await pause(20);
    await pause(50);
    const bodies = heard()
      .split(/HTTP\/1\.1 200 OK[^]*?\r\n\r\n/)
      .slice(1);
    assert.equal(bodies.length, 153);
    assert.ok(
      bodies.every((body, index) => (index % 51 === 0 ? body.length === largeBytes : body === 'small')),
    );
    assert.equal(new Set(heard().match(/req_[\w-]{12}/g)).size, 153);
  });

  test('a client that hangs up is let go', async () => {
    const { socket, heard, ended } = await open();
    socket.end(get('/small'));
    await ended;
    assert.equal(answersIn(heard()), 1);
  });

  test('closing ends idle connections at once, and those under way when they have their answer', async () => {
    const [silent, idle, reading] = [await open(), await open(), await open()];
    idle.socket.write(get('/small'));
    reading.socket.pause();
    reading.socket.write(get('/large').repeat(2));
    await pause(50);
    server.close();
    assert.ok((await untilEnded(Promise.all([silent.ended, idle.ended]))) < 50);
    reading.socket.resume();
    await reading.ended;
    assert.ok(reading.heard().endsWith('x'));
    assert.ok(reading.heard().length > largeBytes);
  });

  test('closing all connections ends also those under way', async () => {
    const { socket, ended } = await open();
    socket.pause();
    socket.write(get('/large').repeat(2));
    await pause(50);
    server.closeAllConnections();
    socket.resume();
    await ended;
  });
});
