// A server that is about to close says so before it does: it is no longer ready, and keeps no connection for another request,
// while it goes on answering. Whoever stands in front has time to turn to others, and no request meets a closed door.
import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const leaving = new WeakSet<Server>();

export async function leave(server: Server, forMs: number): Promise<void> {
  leaving.add(server);
  await sleep(forMs);
}

export function isLeaving(server: Server): boolean {
  return !server.listening || leaving.has(server);
}
