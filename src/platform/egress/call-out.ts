// The one client for calls that leave this machine: a deadline, no redirects, an answer that is not read to its end when
// it is long, and errors that name neither the address nor what was sent, since both may hold credentials.
import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';

export type OutgoingCall = {
  /** Set by the operator, so it may be private. One that an account sets must be judged by a `lookup` below. */
  url: string;
  method: string;
  headers: Record<string, string>;
  body?: string | undefined;
  deadlineMs: number;
  signal?: AbortSignal;
};

const maxAnswerBytes = 64 * 1024;

/** Resolves with the status, whatever it is; rejects when there was none in time. */
export async function callOut(call: OutgoingCall): Promise<{ status: number }> {
  const url = new URL(call.url);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const outgoing = (url.protocol === 'https:' ? tlsRequest : plainRequest)(url, {
    method: call.method,
    headers: { 'User-Agent': 'tintype', ...call.headers },
    ...(call.signal ? { signal: call.signal } : {}),
  });
  const late = setTimeout(() => outgoing.destroy(new Error('late')), call.deadlineMs);
  outgoing.once('response', resolve);
  outgoing.on('error', (error: NodeJS.ErrnoException) =>
    reject(
      new Error(
        error.message === 'late'
          ? `no answer within ${call.deadlineMs / 1000} s`
          : `no connection (${error.code ?? 'unknown'})`,
      ),
    ),
  );
  outgoing.end(call.body);
  try {
    const answer = await promise;
    await drain(answer);
    return { status: answer.statusCode ?? 0 };
  } finally {
    clearTimeout(late);
  }
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
