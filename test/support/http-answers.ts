// Two answers to one request, from two places: what must be the same whoever gave them.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';

export type HttpAnswer = { status: number; headers: IncomingHttpHeaders; names: string[]; bytes: Buffer };
export type Asked = { method?: string; headers?: Record<string, string>; body?: string | Buffer };

/** Of the connection, of one request alone, or the proxy's own name. */
const mayDiffer = new Set([
  'connection',
  'date',
  'keep-alive',
  'server',
  'via',
  'x-request-id',
  'transfer-encoding',
]);

/** Unlike `fetch` it sends the path as it is and shows headers that were sent twice. */
export async function ask(base: string, path: string, asked: Asked = {}): Promise<HttpAnswer> {
  const { hostname, port } = new URL(base);
  const sent = request({ hostname, port, path, agent: false, method: asked.method ?? 'GET', ...asked });
  sent.end(asked.body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const names = answer.rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  return { status: answer.statusCode ?? 0, headers: answer.headers, names, bytes: await buffer(answer) };
}

export function assertSame(got: HttpAnswer, wanted: HttpAnswer, what: string): void {
  const shown = ({ status, headers, names, bytes }: HttpAnswer) => ({
    status,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !mayDiffer.has(name))),
    names: names.filter((name) => !mayDiffer.has(name)).toSorted(),
    size: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  });
  assert.deepEqual(shown(got), shown(wanted), what);
}
