// A `fetch` whose requests may be of any length: their bodies go out as they are read, and no deadline cuts what still
// moves; answers are as short as an API's. For a service whose address whoever runs a command
// has given, which may be private.
import type { ClientRequest, IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as WebStream } from 'node:stream/web';
import { describeFault, openCall, readAnswer } from './call-out.ts';
import { asResponse, type GuardedFetch } from './guarded-fetch.ts';

export type StreamingFetchOptions = {
  connectMs: number;
  /** How long nothing may move in either direction; the service may be busy with what it was sent. */
  silenceMs: number;
  maxAnswerBytes: number;
};

/** Redirects are answers like any other: they are not followed. */
export function streamingFetch(options: StreamingFetchOptions): GuardedFetch {
  const { connectMs, silenceMs, maxAnswerBytes } = options;
  return async (input, init) => {
    const request = new Request(input, init);
    request.signal.throwIfAborted();
    const { url, method, signal } = request;
    try {
      const headers = headersOf(request, init?.body);
      const outgoing = openCall({ audience: 'operator', url, method, headers, signal });
      endIfLate(outgoing, { connectMs, silenceMs });
      const answer = await answerTo(outgoing, chunksOf(request, init?.body));
      const body = await readAnswer(answer, maxAnswerBytes);
      // Whoever answers before all of it has come does not want the rest.
      if (!outgoing.writableFinished) outgoing.destroy();
      return asResponse({ status: answer.statusCode ?? 0, headers: answer.headers, body });
    } catch (error) {
      signal.throwIfAborted();
      // As `fetch` calls what is neither an answer nor the caller's own doing.
      throw new TypeError(error instanceof Late ? error.message : describeFault(error as Error), {
        cause: error,
      });
    }
  };
}

class Late extends Error {}

/** A body whose length is known says so: not every service takes one that does not. */
function headersOf(request: Request, body: unknown): Record<string, string> {
  const length =
    body instanceof Blob ? body.size : typeof body === 'string' ? Buffer.byteLength(body) : undefined;
  return {
    ...Object.fromEntries(request.headers),
    'accept-encoding': 'identity',
    ...(length === undefined ? {} : { 'content-length': String(length) }),
  };
}

/** A stream of the caller's hears when nobody wants more of it. One that Node makes of a form must not: it would throw
 * what nobody can catch. */
function chunksOf(request: Request, body: unknown): AsyncIterable<Uint8Array> | undefined {
  const stream = request.body as WebStream<Uint8Array> | null;
  return stream?.values({ preventCancel: !(body instanceof ReadableStream) });
}

function endIfLate(
  outgoing: ClientRequest,
  { connectMs, silenceMs }: { connectMs: number; silenceMs: number },
): void {
  const end = (ms: number): void => void outgoing.destroy(new Late(`no answer within ${ms / 1000} s`));
  outgoing.once('socket', (socket) => {
    if (!socket.connecting) return;
    const timer = setTimeout(end, connectMs, connectMs);
    for (const event of ['connect', 'close']) socket.once(event, () => clearTimeout(timer));
  });
  outgoing.setTimeout(silenceMs, () => end(silenceMs));
}

async function answerTo(
  outgoing: ClientRequest,
  body: AsyncIterable<Uint8Array> | undefined,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  outgoing.once('response', resolve);
  // Without a listener of ours an offer to change the protocol would leave the caller waiting.
  outgoing.once('upgrade', () => outgoing.destroy(new Error('upgrade')));
  outgoing.on('error', reject);
  if (body) pipeline(body, outgoing).catch(reject);
  else outgoing.end();
  return promise;
}
