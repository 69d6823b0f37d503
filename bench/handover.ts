// A large original that nginx sends for Tintype (X-Accel-Redirect), as a share of what the same nginx reaches when it
// sends the same file straight from the disk and asks nobody.
import { join } from 'node:path';
import { missing } from '../test/support/proxies.ts';
import { temporaryFolder } from './support/cleanup.ts';
import { compare, takeTurns } from './support/compare.ts';
import { startBenchNginx } from './support/nginx-in-front.ts';
import { jpegOf } from './support/pictures.ts';
import { atLeast, type Scenario } from './support/report.ts';
import { type Service, startService } from './support/service.ts';
import { percentile } from './support/statistics.ts';

const originalBytes = 2 * 1024 * 1024;
const plan = { connections: 32, rounds: 7, secondsPerRound: 1, warmUpSeconds: 2 };
const leastShare = 0.9;

export const handover: Scenario = async () => {
  const reason = missing('nginx');
  if (reason) return [{ what: '2 MB original handed to nginx', value: reason }];
  using folder = temporaryFolder();
  const dataDir = join(folder.path, 'data');
  await using service = await startService({
    dataDir,
    environment: { X_ACCEL_REDIRECT: '/tintype-internal' },
  });
  const { path, file } = await findOriginal(service);
  await using nginx = await startBenchNginx({ dataDir, upstreamPort: service.port });
  const get = (target: string): Buffer => Buffer.from(`GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
  const [handed, straight] = [get(path), get(file)];
  const { ratio, first, second } = compare(
    await takeTurns(
      { port: nginx.port, pid: service.pid, request: () => handed },
      { port: nginx.straightPort, pid: service.pid, request: () => straight },
      plan,
    ),
  );
  return [
    atLeast(
      `2 MB original by nginx for Tintype, ${plan.connections} at a time, to nginx alone`,
      ratio,
      leastShare,
      '',
      2,
      { label: 'original of 2 MB by nginx for us, to nginx alone' },
    ),
    {
      what: '  for Tintype / alone: per second',
      value: `${first.perSecond.toFixed(0)} / ${second.perSecond.toFixed(0)}`,
    },
    {
      what: '  for Tintype / alone: latency p99',
      value: `${percentile(first.latenciesMs, 99).toFixed(1)} / ${percentile(second.latenciesMs, 99).toFixed(1)} ms`,
    },
    { what: '  Tintype: CPU per request', value: `${first.cpuMsPerRequest.toFixed(3)} ms` },
  ];
};

/** Its public path, and its path below the data folder as Tintype names it to nginx. */
async function findOriginal(service: Service): Promise<{ path: string; file: string }> {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(await jpegOf(originalBytes))]), 'picture.jpg');
  const uploaded = await service.call('/upload/', { method: 'POST', body: form });
  const { original } = (await uploaded.json()) as { original: string };
  const path = new URL(original).pathname;
  const internal = (await service.call(path)).headers.get('x-accel-redirect') ?? '';
  return { path, file: internal.replace('/tintype-internal', '') };
}
