import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { describe, test } from 'node:test';
import { streamingFetch, type StreamingFetchOptions } from './streaming-fetch.ts';

const options = { connectMs: 1000, silenceMs: 1000, maxAnswerBytes: 1000 } as const;
const fetchOut = (more: Partial<StreamingFetchOptions> = {}): typeof fetch =>
  streamingFetch({ ...options, ...more });

async function serving(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Answers with how much it was sent, and how that was announced. */
const counting = () =>
  serving((request, response) => {
    let bytes = 0;
    request.on('data', (chunk: Buffer) => (bytes += chunk.length));
    request.on('end', () => {
      const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
      response.end(JSON.stringify({ method: request.method, bytes, length, encoding }));
    });
  });

function bodyOf(chunks: number, { pauseMs = 0 } = {}): ReadableStream<Uint8Array> {
  let sent = 0;
  return new ReadableStream({
    async pull(controller) {
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
      if ((sent += 1) > chunks) controller.close();
      else controller.enqueue(new Uint8Array(64 * 1024));
    },
  });
}

const streamed = (body: ReadableStream) => ({ method: 'POST', body, duplex: 'half' }) as RequestInit;

describe('a fetch for long requests', () => {
  test('sends streams as they come, in constant memory, and tells a length that is known', async () => {
    await using server = await counting();
    const send = async (init: RequestInit) => (await fetchOut()(server.url, init)).json();
    assert.deepEqual(await send({}), { method: 'GET', bytes: 0 });
    assert.partialDeepStrictEqual(await send({ method: 'PATCH', body: new Blob(['äb']) }), { length: '3' });
    assert.partialDeepStrictEqual(await send({ method: 'POST', body: '{"ä":1}' }), { length: '8' });
    const before = process.memoryUsage().rss;
    const chunks = 8000;
    const answer = await send(streamed(bodyOf(chunks)));
    assert.partialDeepStrictEqual(answer, { bytes: chunks * 64 * 1024, encoding: 'chunked' });
    const grownMb = (process.memoryUsage().rss - before) / 1024 / 1024;
    assert.ok(grownMb < 200, `${grownMb} MB for 500 MB`);
  });

  test('is not cut while something moves', async () => {
    await using server = await counting();
    const answer = await fetchOut()(server.url, streamed(bodyOf(10, { pauseMs: 150 })));
    assert.equal(answer.status, 200);
  });

  test('gives up on who is silent, and on who answers too much', async () => {
    const silent = createTcpServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    await assert.rejects(fetchOut({ silenceMs: 100 })(`http://127.0.0.1:${port}`), {
      name: 'TypeError',
      message: 'no answer within 0.1 s',
    });
    silent.close();
    await using talker = await serving((_, response) => void response.end('x'.repeat(1001)));
    await assert.rejects(fetchOut()(talker.url), { message: 'the answer is too long' });
    await assert.rejects(fetchOut()(`http://127.0.0.1:${port}`), { message: 'no connection (ECONNREFUSED)' });
  });

  test('hears an answer that comes before the end of what it sends', async () => {
    await using server = await serving((_, response) => void response.writeHead(413).end('{}'));
    const answer = await fetchOut()(server.url, streamed(bodyOf(10_000, { pauseMs: 1 })));
    assert.equal(answer.status, 413);
  });

  test('is refused in the middle of a form without harm', async () => {
    await using server = await serving((request) => void request.once('data', () => request.destroy()));
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(4 * 1024 * 1024)]));
    for (let round = 0; round < 20; round++)
      await assert.rejects(fetchOut()(server.url, { method: 'POST', body: form }), {
        message: /^no connection/,
      });
  });

  test('ends when its caller says so, or when what it sends breaks', async () => {
    await using server = await counting();
    await assert.rejects(fetchOut()(server.url, { signal: AbortSignal.abort() }), { name: 'AbortError' });
    const body = bodyOf(1000, { pauseMs: 50 });
    const cut = { ...streamed(body), signal: AbortSignal.timeout(100) };
    await assert.rejects(fetchOut()(server.url, cut), { name: 'TimeoutError' });
    const broken = new ReadableStream({ pull: (controller) => controller.error(new Error('the source')) });
    await assert.rejects(fetchOut()(server.url, streamed(broken)), (error: Error) => {
      assert.equal((error.cause as Error).message, 'the source');
      return true;
    });
  });
});
