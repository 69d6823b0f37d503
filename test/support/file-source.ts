// A real HTTP server with files to fetch, which answers as each test has it answer.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type FileSource = { url: string; paths: string[] } & AsyncDisposable;

/** By path; what is not there is 404. */
export async function fileSource(
  answers: Record<string, (response: ServerResponse, request: IncomingMessage) => void>,
): Promise<FileSource> {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url as string;
    paths.push(path);
    const answer = answers[path.split('?', 1)[0] as string];
    if (answer) answer(response, request);
    else response.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    paths,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
