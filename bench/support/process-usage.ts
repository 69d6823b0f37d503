// What a process uses, as Linux tells it: memory and processor time of all its threads.
import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second on every platform Node runs on. */
const msPerTick = 10;

export function residentMegabytes(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
  return Number(kilobytes) / 1024;
}

export function cpuMs(pid: number): number {
  const { own } = usageOf(pid);
  return own;
}

/** Of a process and all it started, also of those that have ended. */
export function treeCpuMs(pid: number): number {
  const parents = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    const usage = /^\d+$/.test(name) ? usageIfThere(Number(name)) : null;
    if (usage) parents.set(usage.parent, [...(parents.get(usage.parent) ?? []), Number(name)]);
  }
  const sum = (of: number): number => {
    const { own, ended } = usageIfThere(of) ?? { own: 0, ended: 0 };
    return own + ended + (parents.get(of) ?? []).reduce((whole, child) => whole + sum(child), 0);
  };
  return sum(pid);
}

type Usage = { parent: number; own: number; ended: number };

function usageIfThere(pid: number): Usage | null {
  try {
    return usageOf(pid);
  } catch {
    return null;
  }
}

function usageOf(pid: number): Usage {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  // The name before the last parenthesis may hold spaces. Of the fields after it the second is the parent; the 12th to the
  // 15th are user and system time, its own and that of children which ended.
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const sum = (first: number): number =>
    ((fields[first] as number) + (fields[first + 1] as number)) * msPerTick;
  return { parent: fields[1] as number, own: sum(11), ended: sum(13) };
}
