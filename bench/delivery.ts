// A small variant that was asked for before, as a share of what a server reaches that holds the same answer in memory and
// does nothing else.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startBare } from './support/bare-process.ts';
import { temporaryFolder } from './support/cleanup.ts';
import { compare, takeTurns } from './support/compare.ts';
import { noisePicture } from './support/pictures.ts';
import { describeProfiles, profileOptions } from './support/profile.ts';
import type { Scenario } from './support/report.ts';
import { type Service, startService } from './support/service.ts';
import { percentile } from './support/statistics.ts';

const variantBytes = 12 * 1024;
const plan = { connections: 32, rounds: 7, secondsPerRound: 1, warmUpSeconds: 2 };
/** The bare server's own, or of the connection. */
const hopHeaders = new Set(['date', 'connection', 'keep-alive']);

export const delivery: Scenario = async ({ profile }) => {
  using folder = temporaryFolder();
  const profileFolder = join(folder.path, 'profile');
  const service = await startService({
    dataDir: join(folder.path, 'data'),
    nodeOptions: profile ? profileOptions(profileFolder) : [],
  });
  const { path, bytes, headers } = await findVariant(service);
  const file = join(folder.path, 'variant');
  writeFileSync(file, bytes);
  await using bare = await startBare(
    join(import.meta.dirname, 'bare-delivery-server.ts'),
    file,
    JSON.stringify(headers),
  );
  const get = Buffer.from(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${service.port}\r\n\r\n`);
  const { ratio, cpuRatio, first, second } = compare(
    await takeTurns({ ...service, request: () => get }, { ...bare, request: () => get }, plan),
  );
  await service.stop();
  if (profile) console.log(describeProfiles(profileFolder));
  const kilobytes = (bytes.length / 1024).toFixed(1);
  return [
    {
      what: `cached ${kilobytes} KB variant, ${plan.connections} at a time, to memory`,
      value: ratio.toFixed(2),
    },
    { what: '  CPU per request, to memory', value: cpuRatio.toFixed(2) },
    {
      what: '  Tintype / bare: per second',
      value: `${first.perSecond.toFixed(0)} / ${second.perSecond.toFixed(0)}`,
    },
    {
      what: '  Tintype / bare: CPU per request',
      value: `${first.cpuMsPerRequest.toFixed(3)} / ${second.cpuMsPerRequest.toFixed(3)} ms`,
    },
    { what: '  Tintype: latency p99', value: `${percentile(first.latenciesMs, 99).toFixed(1)} ms` },
  ];
};

/** The first width whose variant has the wanted size. */
async function findVariant(
  service: Service,
): Promise<{ path: string; bytes: Buffer; headers: Record<string, string> }> {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(await noisePicture(800))]), 'picture.jpg');
  const uploaded = await service.call('/upload/', { method: 'POST', body: form });
  const { object_url: url } = (await uploaded.json()) as { object_url: string };
  for (let width = 48; width <= 800; width += 4) {
    const path = `${new URL(url).pathname}w-${width}.webp`;
    const response = await service.call(path);
    const bytes = Buffer.from(await response.arrayBuffer());
    if (response.status !== 200)
      throw new Error(`${path} was answered ${response.status}: ${bytes.toString()}`);
    if (bytes.length < variantBytes) continue;
    const headers = [...response.headers].filter(([name]) => !hopHeaders.has(name));
    return { path, bytes, headers: Object.fromEntries(headers) };
  }
  throw new Error('No variant of the picture is as large as wanted');
}
