// What was asked for before, beside nginx that sends the same file with the same headers, and beside a Node server that
// holds the same answer in memory and does nothing else: a small variant, and a large original.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startBare } from './support/bare-process.ts';
import { temporaryFolder } from './support/cleanup.ts';
import { compare, takeTurns } from './support/compare.ts';
import { startNginx } from './support/nginx.ts';
import { upload } from './support/objects.ts';
import { jpegOf, noisePicture } from './support/pictures.ts';
import { describeProfiles, profileOptions } from './support/profile.ts';
import { atLeast, type Figure, type Scenario } from './support/report.ts';
import { type Service, startService } from './support/service.ts';
import { percentile } from './support/statistics.ts';
import { hasWrk, takeTurnsWithWrk } from './support/wrk.ts';

const variantBytes = 12 * 1024;
const originalBytes = 2 * 1024 * 1024;
const smallPlan = { connections: 32, rounds: 7, secondsPerRound: 1, warmUpSeconds: 2 };
const largePlan = { connections: 8, rounds: 5, secondsPerRound: 1, warmUpSeconds: 1 };
/** The bare server's own, or of the connection. */
const hopHeaders = new Set(['date', 'connection', 'keep-alive']);

type Served = { path: string; bytes: Buffer; headers: Record<string, string> };
type Compared = { service: Service; served: Served; folder: string };

export const delivery: Scenario = async ({ profile }) => {
  using folder = temporaryFolder();
  const profileFolder = join(folder.path, 'profile');
  const service = await startService({
    dataDir: join(folder.path, 'data'),
    nodeOptions: profile ? profileOptions(profileFolder) : [],
  });
  const small = { service, served: await findVariant(service), folder: join(folder.path, 'small') };
  const large = { service, served: await uploadOriginal(service), folder: join(folder.path, 'large') };
  const figures = [
    ...(await variantBesideNginx(small)),
    ...(await variantBesideBare(small)),
    ...(await originalBesideNginx(large)),
  ];
  await service.stop();
  if (profile) console.log(describeProfiles(profileFolder));
  return figures;
};

async function variantBesideNginx(compared: Compared): Promise<Figure[]> {
  const what = `cached ${kilobytes(compared.served)} KB variant`;
  const result = await besideNginx(compared, smallPlan);
  if (!result) return [{ what: `${what}, to nginx`, value: 'no nginx here' }];
  const { ratio, cpuRatio, first, second } = result;
  return [
    atLeast(`${what}, requests per CPU second, to nginx`, 1 / cpuRatio, 0.8, '', 2, {
      label: 'cached variant of 12 KB, per CPU second, to nginx',
    }),
    {
      what: '  Tintype / nginx: CPU per request',
      value: `${micros(first.cpuMsPerRequest)} / ${micros(second.cpuMsPerRequest)}`,
    },
    { what: `  ${smallPlan.connections} at a time, per second, to nginx`, value: ratio.toFixed(2) },
    {
      what: '  Tintype / nginx: per second',
      value: `${first.perSecond.toFixed(0)} / ${second.perSecond.toFixed(0)}`,
    },
    { what: '  Tintype: latency p99', value: `${percentile(first.latenciesMs, 99).toFixed(1)} ms` },
  ];
}

async function variantBesideBare({ service, served, folder }: Compared): Promise<Figure[]> {
  await using bare = await startBare(join(import.meta.dirname, 'bare-delivery-server.ts'), [
    fileOf(folder, served),
    JSON.stringify(served.headers),
  ]);
  const request = requestFor(served, service.port);
  const { ratio, cpuRatio } = compare(
    await takeTurns({ ...service, request }, { ...bare, request }, smallPlan),
  );
  return [
    { what: '  requests per CPU second, to a bare Node server', value: (1 / cpuRatio).toFixed(2) },
    { what: '  per second, to a bare Node server', value: ratio.toFixed(2) },
  ];
}

async function originalBesideNginx(compared: Compared): Promise<Figure[]> {
  const { served, folder } = compared;
  const what = `original of ${kilobytes(served)} KB, ${largePlan.connections} at a time, per second`;
  fileOf(folder, served);
  await using nginx = await startNginx(folder, join(folder, 'files'), served.headers);
  if (!nginx) return [{ what: `${what}, to nginx`, value: 'no nginx here' }];
  const { ratio, first, second } = await measureLarge(compared, nginx);
  return [
    atLeast(`${what}, to nginx, asked by ${hasWrk() ? 'wrk' : 'our client'}`, ratio, 0.3, '', 2, {
      label: 'original of 2 MB, per second, to nginx',
    }),
    { what: '  Tintype / nginx: per second', value: `${first.toFixed(0)} / ${second.toFixed(0)}` },
  ];
}

async function measureLarge({ service, served }: Compared, nginx: { port: number; pid: number }) {
  const [ours, theirs] = [service, nginx].map(({ port }) => `http://127.0.0.1:${port}${served.path}`);
  if (hasWrk()) return takeTurnsWithWrk(ours as string, theirs as string, largePlan);
  const request = requestFor(served, service.port);
  const { ratio, first, second } = compare(
    await takeTurns({ ...service, request }, { ...nginx, request }, largePlan),
  );
  return { ratio, first: first.perSecond, second: second.perSecond };
}

async function besideNginx({ service, served, folder }: Compared, plan: Parameters<typeof takeTurns>[2]) {
  fileOf(folder, served);
  await using nginx = await startNginx(folder, join(folder, 'files'), served.headers);
  if (!nginx) return null;
  const request = requestFor(served, service.port);
  return compare(await takeTurns({ ...service, request }, { ...nginx, request }, plan));
}

/** Under the same path as the service has it, so that both are asked with the same bytes. */
function fileOf(folder: string, { path, bytes }: Served): string {
  const file = join(folder, 'files', path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, bytes);
  return file;
}

function requestFor({ path }: Served, port: number): () => Buffer {
  const get = Buffer.from(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
  return () => get;
}

/** The first width whose variant has the wanted size. */
async function findVariant(service: Service): Promise<Served> {
  const address = await upload(service, await noisePicture(800));
  for (let width = 48; width <= 800; width += 4) {
    const served = await ask(service, `${address}w-${width}.webp`);
    if (served.bytes.length >= variantBytes) return served;
  }
  throw new Error('No variant of the picture is as large as wanted');
}

async function uploadOriginal(service: Service): Promise<Served> {
  return ask(service, `${await upload(service, await jpegOf(originalBytes))}original`);
}

async function ask(service: Service, path: string): Promise<Served> {
  const response = await service.call(path);
  const bytes = Buffer.from(await response.arrayBuffer());
  if (response.status !== 200)
    throw new Error(`${path} was answered ${response.status}: ${bytes.toString()}`);
  const headers = [...response.headers].filter(([name]) => !hopHeaders.has(name));
  return { path, bytes, headers: Object.fromEntries(headers) };
}

function kilobytes({ bytes }: Served): string {
  return (bytes.length / 1024).toFixed(1);
}

function micros(milliseconds: number): string {
  return `${(milliseconds * 1000).toFixed(1)} µs`;
}
