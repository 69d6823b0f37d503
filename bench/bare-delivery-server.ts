// What delivery is measured against: a Node server that has one answer in memory and gives it to everybody. Run as a
// process: `bare-delivery-server.ts <file> <headers as JSON>`; prints its port.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const [, , file, headersJson] = process.argv;
const bytes = readFileSync(file as string);
const headers = JSON.parse(headersJson as string) as Record<string, string>;

const server = createServer((_request, response) => {
  response.writeHead(200, headers).end(bytes);
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
