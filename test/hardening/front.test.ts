// The same bytes to the front and straight to the HTTP server behind it: what comes back must be the same, byte for byte,
// and so must the end of the connection.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import * as http from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { picture } from '../support/pictures.ts';
import { openSocket, readAnswer } from '../support/raw-http.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { openDescriptors } from './descriptors.ts';
import { FrontCases } from './front-cases.ts';
import { exchange, isSame, type Spoken } from './front-exchange.ts';
import { fuzz, fuzzCases } from './fuzz.ts';

const tries = 3;
let server: TestServer;
let straight: Server[];
let bucket: string;
let host: string;
const path = (rendition: string): string => `/files/${bucket}/cat/${rendition}`;
const get = (target: string): string => `GET ${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
const portOf = (each: Server): number => (each.address() as AddressInfo).port;

before(async () => {
  server = await startServer();
  const { body } = await server.upload(await picture(300, 200), { object: 'cat' });
  bucket = /files\/([0-9a-f]{16})\//.exec(body.object_url)?.[1] ?? '';
  host = new URL(server.url).host;
  straight = [
    straightTo(server.app.http.server),
    straightTo(server.app.http.server, (socket) => socket.on('data', () => undefined)),
  ];
  for (const each of straight) await once(each.listen(0, '127.0.0.1'), 'listening');
});
after(async () => {
  for (const each of straight) each.close();
  await server.stop();
});

/** A listener whose connections go to Node's own function for them, which the front stands before. */
function straightTo(behind: http.Server, prepare: (socket: Socket) => void = () => undefined): Server {
  const { _connectionListener: toHttp } = http as unknown as {
    _connectionListener: (this: http.Server, socket: Socket) => void;
  };
  return createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    toHttp.call(behind, socket);
    prepare(socket);
  });
}

/**
 * Node's parser takes bytes from the socket by itself or, when somebody listens for them, from there. Of what is sent in one
 * packet with a fault, more is answered the one way than the other: the front may be like either.
 */
async function checkBoth(spoken: Spoken): Promise<void> {
  const differences: string[] = [];
  for (let left = tries; left > 0; left--) {
    const seen = await exchange(portOf(server.app.http.server), spoken);
    for (const each of straight) {
      const expected = await exchange(portOf(each), spoken);
      if (isSame(seen, expected, spoken)) return;
      differences.push(`${seen.end} / ${expected.end}${firstDifference(seen.bytes, expected.bytes)}`);
    }
  }
  // What is answered while more is being sent depends on the moment: only what differs each time is a difference.
  assert.fail(differences.slice(-straight.length).join('\n'));
}

function firstDifference(seen: string, expected: string): string {
  if (seen === expected) return '';
  const at = Array.from(seen).findIndex((character, index) => character !== expected[index]);
  const from = Math.max(0, (at === -1 ? seen.length : at) - 200);
  const shown = (text: string): string => JSON.stringify(text.slice(from, from + 600));
  return ` after ${from} of ${seen.length} / ${expected.length}: ${shown(seen)}, straight ${shown(expected)}`;
}

test('a client cannot tell the front from the server behind it', async () => {
  const hits = ['w-20.webp', 'w-90.png', 'original.webp'].map(path);
  let etag = '';
  for (const target of hits) etag = (await server.call(target)).headers.get('etag') ?? '';
  const others = [
    path('original'),
    path('w-0.webp'),
    `/files/${bucket}/nobody/original`,
    '/health/live',
    '/nothing',
  ];
  const cases = new FrontCases({ host, hits, others, etag });
  const oneByOne = cases.oneByOne();
  await fuzz({
    name: 'the front',
    cases: oneByOne.length + Math.ceil(fuzzCases / 80),
    make: (random, index) => oneByOne[index] ?? cases.make(random),
    check: checkBoth,
    atOnce: 32,
  });
});

test('what was deleted is gone for the next request of a connection that was served from the front', async () => {
  const { body } = await server.upload(await picture(40, 40), { object: 'gone' });
  const target = new URL(`${body.object_url}w-20.webp`).pathname;
  await server.call(target);
  const socket = await openSocket(server);
  const ask = async (): Promise<number> => {
    socket.write(get(target));
    return (await readAnswer(socket)).status;
  };
  const countBefore = await memoryAnswers();
  assert.deepEqual([await ask(), await ask()], [200, 200]);
  assert.equal(await memoryAnswers(), countBefore + 2);
  await server.json('/delete/gone', { method: 'DELETE' });
  assert.equal(await ask(), 404);
  socket.destroy();
});

async function memoryAnswers(): Promise<number> {
  const metrics = await (await server.call('/metrics')).text();
  return Number(/^tintype_deliveries_total\{source="memory"\} (\d+)$/m.exec(metrics)?.[1] ?? 0);
}

test('a thousand connections come and go, and nothing of them stays', async () => {
  const target = path('w-20.webp');
  await server.call(target);
  const open = (): Promise<number> =>
    new Promise((resolve) => server.app.http.server.getConnections((_, count) => resolve(count)));
  const openBefore = await open();
  const descriptorsBefore = await openDescriptors(process.pid);
  for (let round = 0; round < 10; round++) {
    const sockets = await Promise.all(Array.from({ length: 100 }, () => openSocket(server)));
    for (const [index, socket] of sockets.entries()) {
      if (index % 4 > 0) socket.write(get(target).slice(0, index % 4 === 1 ? 20 : undefined));
      if (index % 4 === 3) await readAnswer(socket);
      if (index % 2 === 0) socket.resetAndDestroy();
      else socket.destroy();
    }
  }
  await eventually(async () => {
    assert.ok((await open()) <= openBefore, `${await open()} connections`);
    const descriptors = await openDescriptors(process.pid);
    assert.ok(descriptors <= descriptorsBefore + 4, `${descriptorsBefore} → ${descriptors} descriptors`);
  });
});
