// Receivers of webhooks for tests: real servers that keep what came and check it as their owners would.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

export type Received = { id: string; headers: IncomingHttpHeaders; body: string; event: any };
export type Receiver = {
  url: string;
  received: Received[];
  /** Of the next answers; 0 never answers. A function is asked for each. */
  answerWith(status: number | ((received: Received) => number)): void;
  /** With what the package of the specification makes of it. */
  verify(received: Received, secret: string): unknown;
} & AsyncDisposable;

export async function startReceiver(port = 0): Promise<Receiver> {
  const received: Received[] = [];
  let status: number | ((one: Received) => number) = 200;
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const id = String(request.headers['webhook-id']);
      const one = { id, headers: request.headers, body, event: JSON.parse(body) };
      const answer = typeof status === 'number' ? status : status(one);
      received.push(one);
      if (answer !== 0) response.writeHead(answer, { Location: '/elsewhere' }).end();
    });
  }).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    answerWith: (next) => void (status = next),
    verify(one, secret) {
      const verified = new Webhook(secret).verify(one.body, one.headers as Record<string, string>);
      assert.deepEqual(verified, one.event);
      return verified;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
