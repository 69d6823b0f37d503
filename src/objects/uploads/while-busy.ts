// A connection on which nothing moves is closed after a minute. That a large file is being put together for it is no reason.
import type { IncomingMessage } from 'node:http';

export async function whileBusy<T>({ socket }: IncomingMessage, work: () => Promise<T>): Promise<T> {
  const idleMs = socket.timeout ?? 0;
  socket.setTimeout(0);
  try {
    return await work();
  } finally {
    socket.setTimeout(idleMs);
  }
}
