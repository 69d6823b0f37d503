// The one client for calls that leave this machine: a deadline, no redirects, an answer of limited length, and errors
// that name neither the address nor what was sent, since both may hold credentials. Where an account chose the address,
// it must be on the public internet, which is judged at the moment of connecting.
import {
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as plainRequest,
} from 'node:http';
import { type RequestOptions, request as tlsRequest } from 'node:https';
import { guardedLookup, PrivateAddress, type Resolve, resolveBySystem } from './guarded-lookup.ts';
import { assertPublicAddress } from './public-address.ts';

/** Whose choice the address is: the operator's may be private, an account's never is unless the operator allows it. */
export type Audience =
  | { audience: 'operator' }
  | { audience: 'account'; allowPrivate: boolean; resolve?: Resolve };

export type OutgoingCall = Audience & {
  url: string;
  method: string;
  headers: Record<string, string>;
  body?: string | Uint8Array | undefined;
  /** For all of it, from the look-up of the name to the end of the answer. */
  deadlineMs: number;
  signal?: AbortSignal;
  /** Left out, the answer is thrown away. */
  readBody?: { maxBytes: number };
};

export type OutgoingAnswer = { status: number; headers: IncomingHttpHeaders; body: Buffer };

const maxAnswerBytes = 64 * 1024;
const notPublic = 'the address is not on the public internet';

/** Resolves with the status, whatever it is; rejects when there was none in time. */
export async function callOut(call: OutgoingCall): Promise<OutgoingAnswer> {
  const outgoing = openCall(call);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  let isLate = false;
  const deadline = setTimeout(() => {
    isLate = true;
    outgoing.destroy(new Error('late'));
  }, call.deadlineMs);
  const inOurWords = (error: Error): Error =>
    new Error(isLate ? `no answer within ${call.deadlineMs / 1000} s` : describeFault(error));
  outgoing.once('response', resolve);
  // Without a listener of ours an offer to change the protocol would leave the caller waiting.
  outgoing.once('upgrade', () => outgoing.destroy(new Error('upgrade')));
  outgoing.on('error', (error) => reject(inOurWords(error)));
  outgoing.end(call.body);
  try {
    const answer = await promise;
    const { statusCode: status = 0, headers } = answer;
    if (call.readBody) {
      const body = await readAnswer(answer, call.readBody.maxBytes).catch((error: Error) =>
        Promise.reject(inOurWords(error)),
      );
      return { status, headers, body };
    }
    await drain(answer);
    return { status, headers, body: Buffer.alloc(0) };
  } finally {
    clearTimeout(deadline);
  }
}

/** The request, not sent yet. Throws when the address may not be called. */
export function openCall(
  call: Audience & Pick<OutgoingCall, 'url' | 'method' | 'headers' | 'signal'>,
): ClientRequest {
  const url = new URL(call.url);
  const guard = call.audience === 'account' && !call.allowPrivate ? guardOf(url, call.resolve) : {};
  const options: RequestOptions = {
    method: call.method,
    headers: { 'User-Agent': 'tintype', ...call.headers },
    ...(call.signal ? { signal: call.signal } : {}),
    // A connection of its own: one that was kept could lead where the name no longer does, and none goes by a proxy.
    ...(call.audience === 'account' ? { agent: false } : {}),
    ...guard,
  };
  return (url.protocol === 'https:' ? tlsRequest : plainRequest)(url, options);
}

/** Node looks up no name that is an address already: that one is judged by its form. */
function guardOf(url: URL, resolve: Resolve = resolveBySystem): RequestOptions {
  try {
    assertPublicAddress(url.href, { allowPrivate: false });
  } catch {
    throw new Error(notPublic);
  }
  return { lookup: guardedLookup(resolve) };
}

/** In words that name neither the address nor what was sent. */
export function describeFault(error: NodeJS.ErrnoException): string {
  if (error instanceof PrivateAddress) return notPublic;
  if (error instanceof TooLong) return 'the answer is too long';
  return `no connection (${error.code ?? 'unknown'})`;
}

class TooLong extends Error {}

/** All of it, unless it is too long. */
export async function readAnswer(answer: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new TooLong();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Lets the connection be used again when the answer is short; what goes wrong after the status does not matter. */
async function drain(answer: IncomingMessage): Promise<void> {
  let bytes = 0;
  try {
    for await (const chunk of answer) {
      bytes += (chunk as Buffer).length;
      if (bytes > maxAnswerBytes) return;
    }
  } catch {
    // The status is known.
  }
}
