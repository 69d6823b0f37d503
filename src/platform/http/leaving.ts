// A server that is about to close says so before it does: it is no longer ready, and keeps no connection for another request,
// while it goes on answering. Whoever stands in front has time to turn to others, and no request meets a closed door.
import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';

const leaving = new WeakSet<Server>();
/** For a connection that was taken at the last moment: its request may be on the way, and such a one looks idle. */
const lastRequestsMs = 1000;

export async function leave(server: Server, forMs: number): Promise<void> {
  leaving.add(server);
  await sleep(forMs);
  // Right after all that waited was taken: what still waits at a door that closes is thrown out.
  await setImmediate();
  // Of HTTP's own, `close` also ends connections that seem idle.
  NetServer.prototype.close.call(server);
  await sleep(lastRequestsMs);
}

export function isLeaving(server: Server): boolean {
  return !server.listening || leaving.has(server);
}
