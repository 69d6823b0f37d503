// Looks after a worker while it has a task: how long it takes, and how much memory it holds.
import { readFile } from 'node:fs/promises';

const memoryCheckMs = 200;

export type WorkerLimits = { readonly wallTimeMs: number; readonly maxRssBytes: number };

/** Reports the first limit exceeded. Returns what ends the watching. */
export function watchWorker(
  pid: number | undefined,
  limits: WorkerLimits,
  exceeded: (limit: 'too_slow' | 'too_large') => void,
): () => void {
  let watching = true;
  const wallTime = setTimeout(() => exceeded('too_slow'), limits.wallTimeMs);
  const memory = setInterval(() => {
    void residentBytes(pid).then((bytes) => {
      if (watching && bytes > limits.maxRssBytes) exceeded('too_large');
    });
  }, memoryCheckMs);
  return () => {
    watching = false;
    clearTimeout(wallTime);
    clearInterval(memory);
  };
}

/** Zero where the system does not tell. */
async function residentBytes(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
}
