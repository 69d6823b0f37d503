// Sends bytes that may be anything over a connection of their own, and takes apart whatever comes back.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { type Answer, checkAnswer } from './check-answer.ts';

export type RawCase = {
  request: Buffer;
  /** Whole as far as its framing goes: it must be answered, though perhaps with a refusal. */
  mustAnswer: boolean;
};

const quietMs = 30;
const answerMs = 10_000;

export async function checkExchange(url: string, { request, mustAnswer }: RawCase): Promise<void> {
  const received = await exchange(new URL(url), request, mustAnswer);
  if (mustAnswer) assert.ok(received.length > 0, 'no answer');
  const isHead = /^\s*HEAD\b/.test(request.toString('latin1', 0, 100));
  const first = takeAnswer(received, isHead);
  if (!first) return assert.ok(!mustAnswer || received.length === 0, 'half an answer');
  checkAnswer(first.answer);
}

/** What came until the first answer was whole, or the connection was closed. */
function exchange({ hostname, port }: URL, request: Buffer, mustAnswer: boolean): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    const chunks: Buffer[] = [];
    const deadline = setTimeout(
      () => (mustAnswer ? finish(new Error(`no answer within ${answerMs} ms`)) : finish()),
      answerMs,
    );
    // An unfinished request is waited for; hanging up tells the server that no more will come.
    const hangUp = mustAnswer ? undefined : setTimeout(() => socket.end(), quietMs);
    let isFinished = false;
    const finish = (error?: Error): void => {
      if (isFinished) return;
      isFinished = true;
      clearTimeout(deadline);
      clearTimeout(hangUp);
      // Without a farewell, so that thousands of closed connections do not use up the ports.
      socket.resetAndDestroy();
      if (error) reject(error);
      else resolve(Buffer.concat(chunks));
    };
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      if (takeAnswer(Buffer.concat(chunks), false)) finish();
    });
    socket.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNREFUSED' ? finish(error) : finish(),
    );
    socket.on('close', () => finish());
    socket.write(request);
  });
}

function takeAnswer(bytes: Buffer, isHead: boolean): { answer: Answer } | null {
  if (bytes.length === 0) return null;
  assert.equal('HTTP/1.1 '.startsWith(bytes.toString('latin1', 0, 9)), true, 'no HTTP answer');
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd === -1) return null;
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3})( |$)/.exec(statusLine)?.[1]);
  if (status === 100) return takeAnswer(bytes.subarray(headEnd + 4), isHead);
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      assert.ok(colon > 0, `no header: ${line}`);
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const length = Number(headers.get('content-length') ?? 0);
  const body = bytes.subarray(headEnd + 4, headEnd + 4 + length);
  if (!isHead && body.length < length) return null;
  const text = isHead ? '{"error":"of a HEAD nobody sees"}' : body.toString();
  return { answer: { status, header: (name) => headers.get(name), text } };
}
