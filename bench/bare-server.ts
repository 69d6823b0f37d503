// What durable uploads are measured against: the least a Node server can do to keep the bytes it is sent. The raw body
// goes to a new file, which is synced before the answer. Run as a process: `bare-server.ts <folder>`; prints its port.
import { open } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

const folder = process.argv[2] as string;
let received = 0;

async function keep(request: IncomingMessage): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  await using file = await open(join(folder, String(received++)), 'wx');
  await file.writev(chunks);
  await file.sync();
}

const server = createServer((request, response) => {
  keep(request).then(
    () => response.end('ok'),
    (error: unknown) => response.writeHead(500).end(String(error)),
  );
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
