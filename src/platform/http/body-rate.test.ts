import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { BodyRateGuard } from './body-rate.ts';

/** A second's share of 10 KB must come in every 100 ms. */
const rate = { bytesPerSecond: 10_000, windowMs: 100, checkEveryMs: 10 };
const bytesPerWindow = 1000;

type Watching = {
  socket: Socket;
  request: IncomingMessage;
  /** Resolves when the body is judged too slow. */
  tooSlow: Promise<void>;
  /** When that happened, in milliseconds from the start. */
  judgedAt: number[];
};

void describe('the rate of a body', () => {
  const closers: (() => void)[] = [];
  afterEach(() => {
    for (const close of closers.splice(0)) close();
  });

  /** A request on a real socket whose head has been sent. */
  async function watch(contentLength: number, read: boolean): Promise<Watching> {
    const guard = new BodyRateGuard(rate);
    const server: Server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => undefined);
    closers.push(
      () => guard.close(),
      () => socket.destroy(),
      () => server.close(),
    );
    const arrived = once(server, 'request') as Promise<[IncomingMessage]>;
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${contentLength}\r\n\r\n`);
    const [request] = await arrived;
    const judged = Promise.withResolvers<void>();
    const judgedAt: number[] = [];
    const startedAt = performance.now();
    guard.watch(request, () => {
      judgedAt.push(performance.now() - startedAt);
      judged.resolve();
    });
    request.on('error', () => undefined);
    if (read) request.resume();
    return { socket, request, tooSlow: judged.promise, judgedAt };
  }

  /** Longer than it takes to be judged several times. */
  const someWindows = (): Promise<void> => pause(rate.windowMs * 3.5);

  void test('nothing at all is too slow, once a whole window has passed and not before', async () => {
    const { tooSlow, judgedAt } = await watch(1_000_000, true);
    await tooSlow;
    assert.ok((judgedAt[0] ?? 0) >= rate.windowMs - 2, `${judgedAt[0]} ms`);
  });

  void test('a trickle is too slow, however steady', async () => {
    const { socket, tooSlow } = await watch(1_000_000, true);
    const trickle = setInterval(() => socket.write('x'.repeat(10)), 10);
    await tooSlow;
    clearInterval(trickle);
  });

  void test('a slow but honest body goes through, for as long as it takes', async () => {
    const { socket, judgedAt } = await watch(1_000_000, true);
    const flow = setInterval(() => socket.write('x'.repeat(bytesPerWindow / 2)), 20);
    await someWindows();
    clearInterval(flow);
    assert.deepEqual(judgedAt, []);
  });

  void test('a fast start does not pay for standing still later', async () => {
    const { socket, tooSlow } = await watch(1_000_000, true);
    socket.write('x'.repeat(100_000));
    await tooSlow;
  });

  void test('time in which we do not read is not held against the client', async () => {
    const { socket, request, judgedAt } = await watch(10_000_000, false);
    socket.write('x'.repeat(1_000_000));
    await someWindows();
    assert.ok(request.readableLength >= request.readableHighWaterMark);
    assert.deepEqual(judgedAt, []);
  });

  void test('nor is it when all has come and waits for us to read it', async () => {
    const { socket, request, judgedAt } = await watch(10, false);
    socket.write('x'.repeat(10));
    await someWindows();
    assert.ok(request.complete && !request.readableEnded);
    assert.deepEqual(judgedAt, []);
  });

  void test('a body that ended or broke off is not judged any more', async () => {
    const ended = await watch(10, true);
    ended.socket.write('x'.repeat(10));
    const broken = await watch(1000, true);
    const closed = new Promise((resolve) => broken.request.once('close', resolve));
    broken.socket.destroy();
    await Promise.all([once(ended.request, 'end'), closed]);
    await someWindows();
    assert.deepEqual([...ended.judgedAt, ...broken.judgedAt], []);
  });

  void test('is judged too slow once only', async () => {
    const { judgedAt } = await watch(1000, true);
    await someWindows();
    assert.equal(judgedAt.length, 1);
  });
});
