// Asks for every width of one object over many connections, as fast as answers come, again and again. Run by
// `support/client-process.ts`.
import { runClient } from './support/client-process.ts';
import { Connection } from './support/connection.ts';

export type FloodOptions = { port: number; object: string; widths: number; connections: number };
export type Flood = {
  statuses: Record<string, number>;
  /** Of answers 429 and 503. */
  refusalsMs: number[];
  /** Refusals that do not say in whole seconds when to come back. */
  withoutRetryAfter: number;
};

/** Has no divisor in common with the number of widths: so each comes once, large and small mixed. */
const stride = 977;

await runClient<FloodOptions, Flood>(async ({ port, object, widths, connections }, isStopped) => {
  const found: Flood = { statuses: {}, refusalsMs: [], withoutRetryAfter: 0 };
  let asked = 0;

  async function keepAsking(): Promise<void> {
    const connection = await Connection.open(port);
    while (!isStopped()) {
      const width = ((asked++ * stride) % widths) + 1;
      const startedAt = performance.now();
      const { status, head } = await connection.exchange(
        Buffer.from(`GET ${object}w-${width}.webp HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`),
      );
      found.statuses[status] = (found.statuses[status] ?? 0) + 1;
      if (status !== 429 && status !== 503) continue;
      found.refusalsMs.push(performance.now() - startedAt);
      if (!/\r\nretry-after: [1-9]\d*(\r\n|$)/i.test(head)) found.withoutRetryAfter += 1;
    }
    connection.close();
  }

  await Promise.all(Array.from({ length: connections }, keepAsking));
  return found;
});
