// One port for several processes. Where the system can, each listens for itself and the kernel spreads the connections:
// nobody stands between, and what a process that dies had taken is closed with it. Elsewhere Node's cluster hands them out.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

const systemsThatSpread = new Set<NodeJS.Platform>(['linux', 'freebsd']);
const lookEveryMs = 50;
/** By then the processes of a service that was just killed are gone. */
const maxWaitMs = 2000;

export function sharedPort(port: number, host: string): { port: number; host: string; reusePort: boolean } {
  return { port, host, reusePort: systemsThatSpread.has(process.platform) };
}

/** Throws when somebody else listens there. Those who share a port would not notice. */
export async function assertPortFree(port: number, host: string): Promise<void> {
  const deadline = Date.now() + maxWaitMs;
  for (;;) {
    const probe = createServer();
    try {
      await once(probe.listen({ port, host, exclusive: true }), 'listening');
      probe.close();
      await once(probe, 'close');
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || Date.now() > deadline) throw error;
    }
    await pause(lookEveryMs);
  }
}
