// Looks after a worker while it has a task: how long it takes, how much of that it computes, and how much memory it holds.
import { readFile } from 'node:fs/promises';

const checkEveryMs = 200;
/** Of the system's clock for processes; the same on every Linux. */
const msPerTick = 10;

export type WorkerLimits = {
  readonly wallTimeMs: number;
  /** Of the processor's time: on a busy machine honest work waits long, but computes no more than elsewhere. */
  readonly cpuTimeMs?: number;
  readonly maxRssBytes: number;
  /** How long it may go without reporting progress: for tasks of which nobody can say how long they take as a whole. */
  readonly silenceMs?: number;
};

export type Watch = {
  /** It has reported progress. */
  heard(): void;
  stop(): void;
};

/** Reports the first limit exceeded. */
export function watchWorker(
  pid: number | undefined,
  limits: WorkerLimits,
  /** What it had computed before. */
  cpuMsBefore: number,
  exceeded: (limit: 'too_slow' | 'too_large') => void,
): Watch {
  let watching = true;
  const tooSlow = (): void => exceeded('too_slow');
  const timers = [limits.wallTimeMs, limits.silenceMs].map((ms) =>
    ms === undefined || ms === Infinity ? undefined : setTimeout(tooSlow, ms),
  );
  const check = setInterval(() => {
    void usageOf(pid).then((now) => {
      if (!watching) return;
      if (now.rssBytes > limits.maxRssBytes) exceeded('too_large');
      else if (now.cpuMs - cpuMsBefore > (limits.cpuTimeMs ?? Infinity)) exceeded('too_slow');
    });
  }, checkEveryMs);
  return {
    heard: () => void timers[1]?.refresh(),
    stop() {
      watching = false;
      timers.forEach((timer) => clearTimeout(timer));
      clearInterval(check);
    },
  };
}

/** Zero where the system does not tell. */
async function usageOf(pid: number | undefined): Promise<{ rssBytes: number; cpuMs: number }> {
  const [status, stat] = await Promise.all(
    ['status', 'stat'].map((name) => readFile(`/proc/${pid}/${name}`, 'latin1').catch(() => '')),
  );
  const rssKilobytes = /^VmRSS:\s+(\d+) kB/m.exec(status ?? '')?.[1] ?? 0;
  // The name of the program comes first, in brackets, and may hold anything.
  const fields = (stat ?? '').slice((stat ?? '').lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
  return { rssBytes: Number(rssKilobytes) * 1024, cpuMs: (ticks || 0) * msPerTick };
}
