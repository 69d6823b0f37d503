// Waits for a task of the worker as long as somebody wants its answer.
import { notWaitedFor } from './local-faults.ts';

/**
 * Who no longer waits leaves the queue; but a worker that has begun goes on, because with it the models would go, which the
 * next one would have to wait for, and might not live to see either.
 */
export async function runUntilAborted<T>(
  signal: AbortSignal,
  run: (whileQueued: AbortSignal, onProgress: () => void) => Promise<T>,
): Promise<T> {
  const leaving = new AbortController();
  const aborted = Promise.withResolvers<never>();
  let begun = false;
  const leave = (): void => {
    aborted.reject(notWaitedFor());
    if (!begun) leaving.abort(notWaitedFor());
  };
  if (signal.aborted) throw notWaitedFor();
  signal.addEventListener('abort', leave, { once: true });
  try {
    return await Promise.race([run(leaving.signal, () => (begun = true)), aborted.promise]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
