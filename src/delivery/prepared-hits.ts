// Answers that are ready to be written before anybody parses the request: files in memory, by host and path as they were
// asked for before. What is found here was found, and may be seen, by the same look-ups as any other request.
import type { KeptRepresentation, Representation } from './representation.ts';

/** Anybody can make up hosts; a path is asked for by one or two. */
const maxHosts = 8;

export function withAnswer(representation: Representation, bytes: Buffer): KeptRepresentation {
  const headers = { ...representation.headers, 'Content-Length': bytes.length };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const answer = { head: `HTTP/1.1 200 OK\r\n${lines.join('')}`, body: bytes };
  return { ...representation, answer, hosts: new Set(), used: false };
}

/** To be called when an address of this host was found to mean this file. */
export function nameHost({ hosts }: KeptRepresentation, host: string | undefined): void {
  if (host !== undefined && hosts.size < maxHosts) hosts.add(host);
}
