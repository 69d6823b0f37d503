// How many bytes of a connection of this machine to itself nobody has read yet, as the kernel counts them.
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';

export function bytesInFlight({ localPort, remotePort }: Socket): number {
  const rows = readFileSync('/proc/net/tcp', 'latin1')
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  const [from, to] = [localPort, remotePort].map((port) => hex(port ?? 0));
  let bytes = 0;
  for (const [, local = '', remote = '', , queues = ''] of rows) {
    const [unsent = '0', unread = '0'] = queues.split(':');
    if (local.endsWith(`:${from}`) && remote.endsWith(`:${to}`)) bytes += Number.parseInt(unsent, 16);
    if (local.endsWith(`:${to}`) && remote.endsWith(`:${from}`)) bytes += Number.parseInt(unread, 16);
  }
  return bytes;
}

function hex(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, '0');
}
