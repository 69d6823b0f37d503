// What Chromium's own trace says of a page's main thread while something is done to it.
import type { Browser, Page } from 'playwright-core';

type TraceEvent = {
  name: string;
  pid: number;
  tid: number;
  /** Microseconds, of time and of computing. */
  dur?: number;
  tdur?: number;
  args?: { name?: string };
};
/** Of all tasks: the longest by the clock, and the most that one computed. They may be two, where others want the processor. */
export type LongestTask = { wallMs: number; cpuMs: number };

const categories = ['disabled-by-default-devtools.timeline', '__metadata'];

export async function longestTask(
  browser: Browser,
  page: Page,
  work: () => Promise<void>,
): Promise<LongestTask> {
  await browser.startTracing(page, { categories });
  await work();
  const trace = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
  const mainThreads = new Set(
    trace.traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid}:${tid}`),
  );
  const tasks = trace.traceEvents.filter(
    ({ name, pid, tid }) => name === 'RunTask' && mainThreads.has(`${pid}:${tid}`),
  );
  if (tasks.length === 0) throw new Error('The trace shows no task of the main thread');
  const most = (of: 'dur' | 'tdur'): number => Math.max(...tasks.map((task) => task[of] ?? 0)) / 1000;
  return { wallMs: most('dur'), cpuMs: most('tdur') };
}
