// Ports for the servers of tests. Test files run at the same time, and a port the system calls free may be given to two of
// them before either listens; so each process has a range of its own, below those the system hands out to clients.
import { createServer } from 'node:net';

const first = 12_000;
const perProcess = 40;
const processes = 500;

let next = 0;

export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < perProcess; attempt += 1) {
    const port = first + (process.pid % processes) * perProcess + (next++ % perProcess);
    if (await isFree(port)) return port;
  }
  throw new Error('No port is free');
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
