// Stands between the service and a provider and lets calls through when the test says so: for what must happen while a call
// is under way.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { eventually } from './eventually.ts';

export type HeldCalls = {
  /** As OPENAI_BASE_URL has it. */
  url: string;
  /** Every call so far, with when it came. */
  calls: { path: string; atMs: number }[];
  connections(): number;
  /** From now on calls wait whose path ends like this. */
  hold(ending?: string): void;
  /** Resolves once so many wait. */
  held(count: number): Promise<void>;
  /** Lets the longest waiting through, all of them and all to come if no number is given. */
  release(count?: number): void;
} & AsyncDisposable;

/** The provider need not be there yet. */
export async function startHeldCalls(providerUrl: string): Promise<HeldCalls> {
  const calls: HeldCalls['calls'] = [];
  const waiting: (() => void)[] = [];
  let ending: string | null = null;
  let connections = 0;
  const server = createServer((incoming, response) => {
    const path = incoming.url ?? '';
    calls.push({ path, atMs: Date.now() });
    // Taken at once: a call whose caller left while it waited reaches the provider all the same, and in its turn.
    const body = buffer(incoming);
    body.catch(() => undefined);
    const pass = (): void =>
      void passOn(providerUrl, { incoming, body }, response).catch(() => response.destroy());
    if (ending !== null && path.endsWith(ending)) waiting.push(pass);
    else pass();
  });
  server.on('connection', () => (connections += 1));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { pathname } = new URL(providerUrl);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`,
    calls,
    connections: () => connections,
    hold: (which = '') => void (ending = which),
    held: (count) => eventually(() => assert.equal(waiting.length, count), 10_000),
    release(count) {
      if (count === undefined) ending = null;
      for (const pass of waiting.splice(0, count ?? waiting.length)) pass();
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function passOn(
  providerUrl: string,
  { incoming, body }: { incoming: IncomingMessage; body: Promise<Buffer> },
  response: ServerResponse,
): Promise<void> {
  const { method, headers } = incoming;
  const passed = request(new URL(incoming.url ?? '', providerUrl), { method, headers, agent: false });
  passed.end(await body);
  const [answer] = (await once(passed, 'response')) as [IncomingMessage];
  response.writeHead(answer.statusCode ?? 502, answer.headers).end(await buffer(answer));
}
