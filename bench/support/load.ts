// Keeps a server busy over a fixed number of connections for a while, and counts answers, their latency and what they
// cost the server's process.
import { Connection } from './connection.ts';
import { cpuMs } from './process-usage.ts';

export type Target = { port: number; pid: number; request(): Buffer };
export type LoadResult = { perSecond: number; cpuMsPerRequest: number; latenciesMs: number[] };

export async function load(
  target: Target,
  options: { connections: number; seconds: number },
): Promise<LoadResult> {
  const connections = await Promise.all(
    Array.from({ length: options.connections }, () => Connection.open(target.port)),
  );
  const latenciesMs: number[] = [];
  const startedAt = performance.now();
  const endsAt = startedAt + options.seconds * 1000;
  const cpuBefore = cpuMs(target.pid);
  await Promise.all(
    connections.map(async (connection) => {
      for (let now = performance.now(); now < endsAt;) {
        const { status, body } = await connection.exchange(target.request());
        if (status !== 200)
          throw new Error(`The server answered ${status}: ${body().toString().slice(0, 300)}`);
        const answeredAt = performance.now();
        latenciesMs.push(answeredAt - now);
        now = answeredAt;
      }
    }),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  const usedMs = cpuMs(target.pid) - cpuBefore;
  for (const connection of connections) connection.close();
  return {
    perSecond: latenciesMs.length / seconds,
    cpuMsPerRequest: usedMs / latenciesMs.length,
    latenciesMs,
  };
}
