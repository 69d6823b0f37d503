// Durable uploads per second, as a share of what a bare server reaches that only writes and syncs the same bytes.
// Background work is left out: the service runs without its jobs.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startBare } from './support/bare-process.ts';
import { temporaryFolder } from './support/cleanup.ts';
import { compare, type Round, type Side, takeTurns } from './support/compare.ts';
import { jpegOf } from './support/pictures.ts';
import { describeProfiles, profileOptions } from './support/profile.ts';
import { atLeast, type Figure, type Scenario } from './support/report.ts';
import { startService } from './support/service.ts';
import { percentile } from './support/statistics.ts';
import { uploadRequest } from './support/upload-request.ts';

const fileBytes = 100 * 1024;
/** One process differs from the next of the same program by more than its rounds do, so several are measured. */
const processes = 2;
/**
 * Warm means compiled: the compiler is busy with a new process for its first thousands of uploads. Single rounds differ
 * by half on a shared machine: with five of them to a process, runs of the same code gave 0.21 to 0.38.
 */
const plan = { connections: 8, rounds: 25, secondsPerRound: 1, warmUpSeconds: 10 };

export const uploads: Scenario = async ({ profile }) => {
  const file = await jpegOf(fileBytes);
  const rounds: Round[] = [];
  for (let i = 0; i < processes; i++) rounds.push(...(await measureProcesses(file, profile && i === 0)));
  const { ratio, cpuRatio, first, second } = compare(rounds);
  return [
    atLeast('uploads of 100 KB, 8 at a time, to bare writes', ratio, 0.3, '', 2, {
      label: 'durable uploads of 100 KB, to bare writes',
    }),
    { what: '  CPU per request, to bare writes', value: cpuRatio.toFixed(1) },
    ...describeSide('Tintype', first),
    ...describeSide('bare', second),
  ];
};

async function measureProcesses(file: Buffer, profile: boolean): Promise<Round[]> {
  using folder = temporaryFolder();
  const bareFolder = join(folder.path, 'bare');
  const profileFolder = join(folder.path, 'profile');
  mkdirSync(bareFolder);
  const upload = uploadRequest(file);
  const raw = Buffer.concat([
    Buffer.from(`POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${file.length}\r\n\r\n`),
    file,
  ]);
  const service = await startService({
    dataDir: join(folder.path, 'data'),
    jobs: false,
    nodeOptions: profile ? profileOptions(profileFolder) : [],
  });
  await using bare = await startBare(join(import.meta.dirname, 'bare-server.ts'), [bareFolder]);
  const rounds = await takeTurns(
    { ...service, request: () => upload },
    { ...bare, request: () => raw },
    plan,
  );
  await service.stop();
  if (profile) console.log(describeProfiles(profileFolder));
  return rounds;
}

function describeSide(name: string, { perSecond, cpuMsPerRequest, latenciesMs }: Side): Figure[] {
  const latency = [50, 99].map((percent) => percentile(latenciesMs, percent).toFixed(1)).join(' / ');
  return [
    { what: `  ${name}: per second`, value: perSecond.toFixed(0) },
    { what: `  ${name}: CPU per request`, value: `${cpuMsPerRequest.toFixed(2)} ms` },
    { what: `  ${name}: latency p50 / p99`, value: `${latency} ms` },
  ];
}
