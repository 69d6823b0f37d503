// A hub of models on this machine: a real server that gives out the files of tiny models by the addresses of the real one.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Files } from './tiny-models.ts';

export type TinyHub = AsyncDisposable & {
  readonly address: string;
  /** Paths in the order in which they were asked for. */
  readonly asked: string[];
  /** Of files with that ending only the first byte comes. */
  stallsAt: string | null;
};

export async function startTinyHub(models: Readonly<Record<string, Files>>): Promise<TinyHub> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://hub').pathname.slice(1);
    asked.push(path);
    const [name = '', file = ''] = path.split('/resolve/main/');
    const content = models[name]?.[file];
    if (content === undefined) return void response.writeHead(404).end();
    const body = Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content));
    response.writeHead(200, { 'content-length': body.length });
    if (hub.stallsAt !== null && file.endsWith(hub.stallsAt)) response.write(body.subarray(0, 1));
    else response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const hub: TinyHub = {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    asked,
    stallsAt: null,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return hub;
}
