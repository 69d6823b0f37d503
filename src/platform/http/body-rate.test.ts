import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { BodyRateGuard } from './body-rate.ts';

/** 10,000 bytes must come in every second. */
const rate = { bytesPerSecond: 10_000, windowMs: 1000, checkEveryMs: 10 };

type Watching = {
  socket: Socket;
  request: IncomingMessage;
  /** Resolves when the body is judged too slow. */
  tooSlow: Promise<void>;
  /** When that happened, in milliseconds from the start. */
  judgedAt: number[];
};

describe('the rate of a body', { concurrency: true }, () => {
  /** A request on a real socket whose head has been sent. */
  async function watch(context: TestContext, contentLength: number, read: boolean): Promise<Watching> {
    const guard = new BodyRateGuard(rate);
    const server: Server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => undefined);
    context.after(() => {
      guard.close();
      socket.destroy();
      server.close();
    });
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

  test('nothing at all is too slow, once a whole window has passed and not before', async (context) => {
    const { tooSlow, judgedAt } = await watch(context, 1_000_000, true);
    await tooSlow;
    assert.ok((judgedAt[0] ?? 0) >= rate.windowMs - 2, `${judgedAt[0]} ms`);
  });

  test('a trickle is too slow, however steady', async (context) => {
    const { socket, tooSlow } = await watch(context, 1_000_000, true);
    const trickle = setInterval(() => socket.write('x'.repeat(10)), 10);
    await tooSlow;
    clearInterval(trickle);
  });

  test('a slow but honest body goes through, for as long as it takes', async (context) => {
    const { socket, judgedAt } = await watch(context, 1_000_000, true);
    const flow = setInterval(() => socket.write('x'.repeat(2000)), 20);
    await someWindows();
    clearInterval(flow);
    assert.deepEqual(judgedAt, []);
  });

  test('a fast start does not pay for standing still later', async (context) => {
    const { socket, tooSlow } = await watch(context, 1_000_000, true);
    socket.write('x'.repeat(100_000));
    await tooSlow;
  });

  test('time in which we do not read is not held against the client', async (context) => {
    const { socket, request, judgedAt } = await watch(context, 10_000_000, false);
    socket.write('x'.repeat(1_000_000));
    await someWindows();
    assert.ok(request.readableLength >= request.readableHighWaterMark);
    assert.deepEqual(judgedAt, []);
  });

  test('nor is it when all has come and waits for us to read it', async (context) => {
    const { socket, request, judgedAt } = await watch(context, 10, false);
    socket.write('x'.repeat(10));
    await someWindows();
    assert.ok(request.complete && !request.readableEnded);
    assert.deepEqual(judgedAt, []);
  });

  test('a body that ended or broke off is not judged any more', async (context) => {
    const ended = await watch(context, 10, true);
    const broken = await watch(context, 1000, true);
    const over = [
      once(ended.request, 'end'),
      new Promise((resolve) => broken.request.once('close', resolve)),
    ];
    ended.socket.write('x'.repeat(10));
    broken.socket.destroy();
    await Promise.all(over);
    await someWindows();
    assert.deepEqual([...ended.judgedAt, ...broken.judgedAt], []);
  });

  test('is judged too slow once only', async (context) => {
    const { judgedAt } = await watch(context, 1000, true);
    await someWindows();
    assert.equal(judgedAt.length, 1);
  });
});
