// Sends exactly these bytes over a plain socket, for what `fetch` would never send or would tidy up first.
import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { operatorKey, type TestServer } from './server.ts';

export type RawAnswer = { status: number; statusText: string; headers: Headers; text: string; body: unknown };

export async function openSocket(server: Pick<TestServer, 'url'>): Promise<Socket> {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  // A server that has said what it had to say may close while we still write; what counts is what it said.
  socket.on('error', () => undefined);
  return socket;
}

/** One request and its one answer; the connection is closed afterwards. */
export async function sendRaw(
  server: Pick<TestServer, 'url'>,
  request: string | Buffer,
  withinMs = 10_000,
): Promise<RawAnswer> {
  const socket = await openSocket(server);
  try {
    socket.write(request);
    return await readAnswer(socket, withinMs);
  } finally {
    socket.destroy();
  }
}

/** Reads until the answer's body is complete, or the other side has closed. */
export async function readAnswer(socket: Socket, withinMs = 10_000): Promise<RawAnswer> {
  const chunks: Buffer[] = [];
  const deadline = new AbortController();
  const late = pause(withinMs, 'late', { signal: deadline.signal }).catch(() => 'answered');
  const read = (async () => {
    for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
      chunks.push(chunk as Buffer);
      const answer = parseAnswer(Buffer.concat(chunks));
      if (answer) return answer;
    }
    const rest = parseAnswer(Buffer.concat(chunks), true);
    if (rest) return rest;
    throw new Error('The connection was closed without an answer');
  })();
  const outcome = await Promise.race([read, late]);
  deadline.abort();
  if (typeof outcome === 'string') {
    read.catch(() => undefined);
    throw new Error(`No answer within ${withinMs} ms`);
  }
  return outcome;
}

function parseAnswer(bytes: Buffer, closed = false): RawAnswer | null {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd === -1) return null;
  const [statusLine = '', ...lines] = bytes.subarray(0, headEnd).toString('latin1').split('\r\n');
  const [, status, statusText = ''] = /^HTTP\/1\.1 (\d{3}) ?(.*)$/.exec(statusLine) ?? [];
  if (status === '100') return parseAnswer(bytes.subarray(headEnd + 4), closed);
  const headers = new Headers(
    lines.map((line): [string, string] => [
      line.slice(0, line.indexOf(':')),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  );
  const content = bytes.subarray(headEnd + 4);
  const length = headers.get('content-length');
  if (!closed && length !== null && content.length < Number(length)) return null;
  if (!closed && length === null && !['204', '304'].includes(status ?? '')) return null;
  const text = content.toString();
  return { status: Number(status), statusText, headers, text, body: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The head of a request with the operator's key. */
export function head(method: string, target: string, headers: Record<string, string | number> = {}): string {
  const all = { Host: 'localhost', Authorization: `Bearer ${operatorKey}`, ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`;
}
