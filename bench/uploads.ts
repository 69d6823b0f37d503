// Durable uploads per second, as a share of what a bare server reaches that only writes and syncs the same bytes.
// Background work is left out: the service runs without its jobs.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startBare } from './support/bare-process.ts';
import { temporaryFolder } from './support/cleanup.ts';
import { compare, type Side } from './support/compare.ts';
import { jpegOf } from './support/pictures.ts';
import { describeProfiles, profileOptions } from './support/profile.ts';
import { atLeast, type Figure, type Scenario } from './support/report.ts';
import { startService } from './support/service.ts';
import { percentile } from './support/statistics.ts';
import { uploadRequest } from './support/upload-request.ts';

const fileBytes = 100 * 1024;
const plan = { connections: 8, rounds: 9, secondsPerRound: 1.5, warmUpSeconds: 3 };

export const uploads: Scenario = async ({ profile }) => {
  using folder = temporaryFolder();
  const bareFolder = join(folder.path, 'bare');
  const profileFolder = join(folder.path, 'profile');
  mkdirSync(bareFolder);
  const file = await jpegOf(fileBytes);
  const ours = uploadRequest(file);
  const raw = Buffer.concat([
    Buffer.from(`POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${file.length}\r\n\r\n`),
    file,
  ]);
  const service = await startService({
    dataDir: join(folder.path, 'data'),
    jobs: false,
    nodeOptions: profile ? profileOptions(profileFolder) : [],
  });
  await using bare = await startBare(join(import.meta.dirname, 'bare-server.ts'), bareFolder);
  const result = await compare({ ...service, request: () => ours }, { ...bare, request: () => raw }, plan);
  await service.stop();
  if (profile) console.log(describeProfiles(profileFolder));
  return [
    atLeast('uploads of 100 KB, 8 at a time, to bare writes', result.ratio, 0.3, '', 2),
    ...describeSide('Tintype', result.first),
    ...describeSide('bare', result.second),
  ];
};

function describeSide(name: string, { perSecond, cpuMsPerRequest, latenciesMs }: Side): Figure[] {
  const latency = [50, 99].map((percent) => percentile(latenciesMs, percent).toFixed(1)).join(' / ');
  return [
    { what: `  ${name}: per second`, value: perSecond.toFixed(0) },
    { what: `  ${name}: CPU per request`, value: `${cpuMsPerRequest.toFixed(2)} ms` },
    { what: `  ${name}: latency p50 / p99`, value: `${latency} ms` },
  ];
}
