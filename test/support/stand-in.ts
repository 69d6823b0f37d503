// A real HTTP server that stands in for a service elsewhere: keeps what it was sent and answers as it is told.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

type Seen = { line: string; headers: IncomingMessage['headers']; body: string };
export type StandIn = { url: string; seen: Seen[] } & AsyncDisposable;

/** Answers with each status in turn, and with the last one from then on; 0 never answers. */
export async function standIn(statuses: number[] = [200], port = 0): Promise<StandIn> {
  const seen: Seen[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const status = statuses[Math.min(seen.length, statuses.length - 1)] as number;
    seen.push({ line: `${request.method} ${request.url}`, headers: request.headers, body });
    if (status !== 0) response.writeHead(status, { 'Content-Type': 'application/json' }).end('{}');
  };
  const server = createServer((request, response) => void take(request, response)).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
