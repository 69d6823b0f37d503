// Asks for one path at a fixed rate, whether or not earlier answers came, and notes how long each took. Run by
// `support/client-process.ts`.
import { setTimeout as delay } from 'node:timers/promises';
import { runClient } from './support/client-process.ts';
import { Connection } from './support/connection.ts';

export type HitsOptions = { port: number; path: string; perSecond: number };
/** The clients beside this one start meanwhile, which keeps a small machine busy. */
const warmUpMs = 2000;

export type Hits = { latenciesMs: number[]; statuses: Record<string, number> };

await runClient<HitsOptions, Hits>(async ({ port, path, perSecond }, isStopped) => {
  const request = Buffer.from(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
  const found: Hits = { latenciesMs: [], statuses: {} };
  const free: Connection[] = [];
  const running = new Set<Promise<void>>();
  const countsFrom = performance.now() + warmUpMs;

  async function ask(): Promise<void> {
    const startedAt = performance.now();
    // The one that rested longest, so that the server closes none for resting.
    const connection = free.shift() ?? (await Connection.open(port));
    const { status, head } = await connection.exchange(request);
    if (/\r\nconnection: close/i.test(head)) connection.close();
    else free.push(connection);
    if (startedAt < countsFrom) return;
    found.latenciesMs.push(performance.now() - startedAt);
    found.statuses[status] = (found.statuses[status] ?? 0) + 1;
  }

  for (let next = performance.now(); !isStopped(); next += 1000 / perSecond) {
    await delay(Math.max(0, next - performance.now()));
    const asked = ask().finally(() => running.delete(asked));
    running.add(asked);
  }
  await Promise.all(running);
  for (const connection of free) connection.close();
  return found;
});
