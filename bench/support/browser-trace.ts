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
export type Task = { wallMs: number; cpuMs: number };

const categories = ['toplevel', 'devtools.timeline', 'disabled-by-default-devtools.timeline', '__metadata'];

export async function longestTask(browser: Browser, page: Page, work: () => Promise<void>): Promise<Task> {
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
  const longest = tasks.reduce((most, task) => ((task.dur ?? 0) > (most.dur ?? 0) ? task : most));
  return { wallMs: (longest.dur ?? 0) / 1000, cpuMs: (longest.tdur ?? 0) / 1000 };
}
