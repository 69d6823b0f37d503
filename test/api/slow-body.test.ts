// A body is judged by its rate, never by its total time. The window is made short here: half a second stands for thirty.
import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { assertClean, leavesNothing } from '../support/assert-clean.ts';
import { assertError } from '../support/assert-error.ts';
import { filePart, multipart, multipartType } from '../support/multipart.ts';
import { picture } from '../support/pictures.ts';
import { head, openSocket, readAnswer, type RawAnswer } from '../support/raw-http.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
const logLines: string[] = [];
before(async () => {
  const bodyRate = { bytesPerSecond: 1024, windowMs: 500, checkEveryMs: 50 };
  server = await startServer({}, { bodyRate, logLines });
});
after(() => server.stop());

async function begin(path: string, type: string, length: number | 'chunked'): Promise<Socket> {
  const socket = await openSocket(server);
  const size = length === 'chunked' ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': length };
  socket.write(head('POST', path, { 'Content-Type': type, ...size }));
  return socket;
}

/** Sends pieces at this pace until all are sent or the answer has come. */
async function trickle(socket: Socket, body: Buffer, { bytes, everyMs }: { bytes: number; everyMs: number }) {
  let answer: RawAnswer | Error | undefined;
  const reading = readAnswer(socket, 20_000).then(
    (got) => (answer = got),
    (error: Error) => (answer = error),
  );
  for (let at = 0; at < body.length && answer === undefined; at += bytes) {
    socket.write(body.subarray(at, at + bytes));
    await pause(everyMs);
  }
  await reading;
  socket.destroy();
  if (answer instanceof Error) throw answer;
  return answer as unknown as RawAnswer;
}

const tooSlow = { code: 'body_too_slow', message: /1 KB per second/ };

test('an upload that trickles is 408, closed and clean', async () => {
  const body = multipart([{ name: 'object', value: 'slow' }, filePart(await picture(64, 64))]);
  const answer = await leavesNothing(server, async () =>
    trickle(await begin('/upload/', multipartType, body.length), body, { bytes: 1, everyMs: 20 }),
  );
  assertError(answer, 408, tooSlow);
  assert.equal(answer.headers.get('connection'), 'close');
});

test('one that stops half-way, or never begins, is 408 too', async () => {
  const body = multipart([filePart(await picture(64, 64))]);
  for (const share of [0, 0.5]) {
    const answer = await leavesNothing(server, async () => {
      const socket = await begin('/upload/', multipartType, body.length);
      socket.write(body.subarray(0, body.length * share));
      return readAnswer(socket);
    });
    assertError(answer, 408, tooSlow);
  }
});

test('so are JSON bodies, with or without a length', async () => {
  for (const length of [5000, 'chunked'] as const) {
    const body = Buffer.from(length === 'chunked' ? '1\r\n{\r\n'.repeat(1000) : '{'.repeat(5000));
    const socket = await begin('/bulk/', 'application/json', length);
    assertError(await trickle(socket, body, { bytes: 1, everyMs: 20 }), 408, tooSlow);
  }
});

test('a steady upload over several windows is never cut', async () => {
  const file = Buffer.concat([await picture(64, 64), Buffer.alloc(30_000)]);
  const body = multipart([{ name: 'object', value: 'steady' }, filePart(file)]);
  const started = Date.now();
  const answer = await trickle(await begin('/upload/', multipartType, body.length), body, {
    bytes: 500,
    everyMs: 25,
  });
  assert.equal(answer.status, 200, answer.text);
  assert.ok(Date.now() - started > 1200, 'it took more than two windows');
});

test('a fast start does not excuse a crawl, and a crawl is forgiven within the window', async () => {
  const file = Buffer.concat([await picture(64, 64), Buffer.alloc(60_000)]);
  const body = multipart([filePart(file)]);
  const fastThenSlow = await begin('/upload/', multipartType, body.length);
  fastThenSlow.write(body.subarray(0, 50_000));
  assertError(await trickle(fastThenSlow, body.subarray(50_000), { bytes: 1, everyMs: 20 }), 408, tooSlow);
  const slowThenFast = await begin('/upload/', multipartType, body.length);
  await pause(200);
  slowThenFast.write(body);
  assert.equal((await readAnswer(slowThenFast)).status, 200);
  slowThenFast.destroy();
});

test('a client that answers slowly after its body is sent is left alone', async () => {
  const socket = await openSocket(server);
  socket.write(head('GET', '/health/live'));
  assert.equal((await readAnswer(socket)).status, 200);
  await pause(700);
  socket.write(head('GET', '/health/live'));
  assert.equal((await readAnswer(socket)).status, 200);
  socket.destroy();
});

test('nothing of all this was an error of ours, and the service is clean', async () => {
  await assertClean(server);
  const errors = logLines.filter((line) => (JSON.parse(line) as { level: number }).level >= 40);
  assert.deepEqual(errors, []);
});

test('a head that never ends is cut after ten seconds, with a sentence that says so', async () => {
  await using slow = await startServer();
  const socket = connect(Number(new URL(slow.url).port), '127.0.0.1');
  socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\nX-Slow: ');
  const trickle = setInterval(() => socket.write('a'), 500);
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  clearInterval(trickle);
  assert.match(answer, /^HTTP\/1\.1 408 /);
  assert.match(answer, /X-Error-Code: headers_too_slow/);
  assert.match(answer, /\{"error":"The head of the request took longer than 10 seconds"\}$/);
});
