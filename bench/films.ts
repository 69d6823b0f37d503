// What a film costs those who wait for it and those who do not: how soon it plays, how much the server grows while a large
// one comes in, and whether hits are slower while one is transcoded.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { makeFilm } from '../test/support/films.ts';
import type { Hits, HitsOptions } from './hits-client.ts';
import { temporaryFolder } from './support/cleanup.ts';
import { startClient } from './support/client-process.ts';
import { untilPrepared, upload } from './support/objects.ts';
import { softPhotograph } from './support/photographs.ts';
import { residentMegabytes } from './support/process-usage.ts';
import { atMost, type Figure, type Scenario } from './support/report.ts';
import { type Service, startService } from './support/service.ts';
import { percentile } from './support/statistics.ts';
import { uploadLarge } from './support/upload-large.ts';

const most = { playableSeconds: 2, growthMegabytes: 64, hitsMs: 20 };
const hitsPerSecond = 200;
const hitsSeconds = 8;
const rounds = 3;
const sampleEveryMs = 50;
const megabyte = 1024 * 1024;
const largeMegabytes = 500;
const patienceMs = 300_000;

export const films: Scenario = async () => {
  using folder = temporaryFolder();
  await using service = await startService({ dataDir: join(folder.path, 'data') });
  return [
    ...(await measurePlayable(service)),
    ...(await measureGrowth(service)),
    ...(await measureHits(service)),
  ];
};

/** Thirty seconds of 1280×720, as a phone or an editor writes them. */
async function measurePlayable(service: Service): Promise<Figure[]> {
  const film = makeFilm({ seconds: 30, width: 1280, height: 720, gop: 50 });
  const seconds: number[] = [];
  let ladderSeconds = 0;
  for (let round = 0; round < rounds; round++) {
    const path = await upload(service, film);
    const startedAt = performance.now();
    await until(async () => (await service.call(`${path}original.m3u8`)).status === 200);
    seconds.push((performance.now() - startedAt) / 1000);
    await untilReady(service, path);
    ladderSeconds = (performance.now() - startedAt) / 1000;
  }
  return [
    atMost(
      '30 s of H.264 and AAC: playable after the upload, slowest of 3',
      Math.max(...seconds),
      most.playableSeconds,
      ' s',
      2,
    ),
    { what: '  its whole ladder', value: `${ladderSeconds.toFixed(1)} s` },
  ];
}

/** A film of a minute that ends in a box readers skip. */
async function measureGrowth(service: Service): Promise<Figure[]> {
  const film = makeFilm({ seconds: 60, gop: 50 });
  const boxHead = Buffer.alloc(8);
  boxHead.writeUInt32BE(boxHead.length + largeMegabytes * megabyte, 0);
  boxHead.write('free', 4, 'latin1');
  await delay(2000);
  const idle = residentMegabytes(service.pid);
  let peak = idle;
  const sampler = setInterval(() => (peak = Math.max(peak, residentMegabytes(service.pid))), sampleEveryMs);
  const padding = { chunk: randomBytes(megabyte), times: largeMegabytes };
  const { object_url: url } = await uploadLarge(service, [film, boxHead], padding);
  await untilReady(service, new URL(url).pathname);
  clearInterval(sampler);
  return [
    atMost(
      'growth while a film of 500 MB is uploaded and processed (RSS)',
      peak - idle,
      most.growthMegabytes,
      ' MB',
    ),
    { what: '  memory before and at its highest', value: `${idle.toFixed(0)} and ${peak.toFixed(0)} MB` },
  ];
}

async function measureHits(service: Service): Promise<Figure[]> {
  const hot = `${await upload(service, await softPhotograph(1600))}w-300.webp`;
  await service.call(hot);
  await untilPrepared(service);
  const before = await hitsFor(service, hot);
  const path = await upload(service, makeFilm({ container: 'avi', seconds: 20, width: 1280, height: 720 }));
  const during = await hitsFor(service, hot);
  const { status } = await detailsOf(service, path);
  const bar = Math.max(2 * percentile(before.latenciesMs, 99), most.hitsMs);
  return [
    atMost('hits while a film is transcoded, p99', percentile(during.latenciesMs, 99), bar, ' ms', 1),
    { what: '  p99 before', value: `${percentile(before.latenciesMs, 99).toFixed(1)} ms` },
    { what: '  the film when they ended', value: status, bar: 'processing', passed: status === 'processing' },
  ];
}

async function hitsFor(service: Service, path: string): Promise<Hits> {
  const options: HitsOptions = { port: service.port, path, perSecond: hitsPerSecond };
  const client = await startClient<Hits>(join(import.meta.dirname, 'hits-client.ts'), options);
  await delay(hitsSeconds * 1000);
  return client.stop();
}

function untilReady(service: Service, path: string): Promise<void> {
  return until(async () => {
    const { status, error } = await detailsOf(service, path);
    if (status === 'failed') throw new Error(`The film failed: ${error}`);
    return status === 'ready';
  });
}

async function detailsOf(service: Service, path: string): Promise<{ status: string; error?: string }> {
  const objectId = path.split('/').at(-2) as string;
  return (await service.call(`/get/${objectId}`)).json() as Promise<{ status: string }>;
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const givesUpAt = performance.now() + patienceMs;
  while (!(await holds())) {
    if (performance.now() > givesUpAt) throw new Error('The film was not processed in time');
    await delay(20);
  }
}
