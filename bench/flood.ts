// Whether those who ask for what is there notice that somebody else has a whole range of variants made: the latency of hits
// at a fixed rate, first alone, then during a flood that is rendered, one that overfills the queue, and one over the budget.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Flood, FloodOptions } from './flood-client.ts';
import type { Hits, HitsOptions } from './hits-client.ts';
import { startBare } from './support/bare-process.ts';
import { temporaryFolder } from './support/cleanup.ts';
import { startClient } from './support/client-process.ts';
import { newAccount, untilPrepared, upload } from './support/objects.ts';
import { softPhotograph } from './support/photographs.ts';
import { atMost, type Figure, type Scenario } from './support/report.ts';
import { type Service, startService } from './support/service.ts';
import { percentile } from './support/statistics.ts';

const seconds = 8;
const hitsPerSecond = 200;
const probesPerSecond = 20;
const widths = 2000;
const connections = 50;
const originalWidth = 1600;
const most = { hitsMs: 20, refusalsMs: 20, livenessMs: 100 };
/** 200 may wait unless told otherwise; a budget as small as the last has room for 50 of one client. */
const floods = [
  { name: 'that is rendered', terms: { tier: 'enterprise' }, environment: {} },
  { name: 'that fills a queue of 20', terms: { tier: 'enterprise' }, environment: { IMAGE_QUEUE: '20' } },
  { name: 'over the budget', terms: { tier: 'free', variants_per_minute: 6 }, environment: {} },
];

/** The control is a Node server that does nothing else, asked at the same time: what it shows is the machine's doing. */
type Measured = { hits: Hits; control: Hits; liveness: Hits; flood: Flood | null };
type Compared = { service: Service; hot: string; controlPort: number };

export const flood: Scenario = async () => {
  const figures: Figure[] = [];
  for (const kind of floods) figures.push(...(await measureFlood(kind)));
  return figures;
};

async function measureFlood({ name, terms, environment }: (typeof floods)[number]): Promise<Figure[]> {
  using folder = temporaryFolder();
  await using service = await startService({ dataDir: join(folder.path, 'data'), environment });
  const picture = await softPhotograph(originalWidth);
  const hot = `${await upload(service, picture)}w-300.webp`;
  const object = await upload(service, picture, await newAccount(service, terms));
  const held = join(folder.path, 'held');
  const bytes = Buffer.from(await (await service.call(hot)).arrayBuffer());
  writeFileSync(held, bytes);
  await using bare = await startBare(join(import.meta.dirname, 'bare-delivery-server.ts'), [
    held,
    JSON.stringify({ 'Content-Length': String(bytes.length) }),
  ]);
  await untilPrepared(service);
  const compared = { service, hot, controlPort: bare.port };
  const idle = await measure(compared, null);
  return describeFlood(
    name,
    await measure(compared, { port: service.port, object, widths, connections }),
    idle,
  );
}

async function measure(
  { service, hot, controlPort }: Compared,
  options: FloodOptions | null,
): Promise<Measured> {
  const client = <Result>(name: string, settings: object) =>
    startClient<Result>(join(import.meta.dirname, name), settings);
  const hitsOptions: HitsOptions = { port: service.port, path: hot, perSecond: hitsPerSecond };
  const probeOptions: HitsOptions = { port: service.port, path: '/health/live', perSecond: probesPerSecond };
  const flooding = options && (await client<Flood>('flood-client.ts', options));
  const hits = await client<Hits>('hits-client.ts', hitsOptions);
  const control = await client<Hits>('hits-client.ts', { ...hitsOptions, port: controlPort });
  const liveness = await client<Hits>('hits-client.ts', probeOptions);
  await delay(seconds * 1000);
  const measured = {
    hits: await hits.stop(),
    control: await control.stop(),
    liveness: await liveness.stop(),
  };
  return { ...measured, flood: (await flooding?.stop()) ?? null };
}

function describeFlood(
  name: string,
  { hits, control, liveness, flood: found }: Measured,
  idle: Measured,
): Figure[] {
  const { statuses, refusalsMs, withoutRetryAfter } = found as Flood;
  const bar = Math.max(2 * percentile(idle.hits.latenciesMs, 99), most.hitsMs);
  const failed = Object.entries({ ...statuses }).filter(
    ([status]) => !['200', '429', '503'].includes(status),
  );
  const unanswered = Object.keys(hits.statuses).some((status) => status !== '200');
  return [
    atMost(`hits during a flood ${name}, p99`, percentile(hits.latenciesMs, 99), round(bar), ' ms', 1),
    { what: '  p50 / p99 before', value: spread(idle.hits) },
    { what: '  p50 / p99 during it', value: spread(hits) },
    { what: '  a bare server at the same time, p50 / p99', value: spread(control) },
    atMost('  /health/live, slowest', Math.max(...liveness.latenciesMs), most.livenessMs, ' ms', 1),
    {
      what: '  answers of the flood',
      value: Object.entries(statuses)
        .map(([status, count]) => `${count} × ${status}`)
        .join(', '),
      bar: '200, 429, 503',
      passed: failed.length === 0 && !unanswered,
    },
    ...(refusalsMs.length === 0
      ? []
      : [
          atMost('  refusals, p99', percentile(refusalsMs, 99), most.refusalsMs, ' ms', 1),
          atMost('  refusals without a whole Retry-After', withoutRetryAfter, 0, ''),
        ]),
  ];
}

function spread({ latenciesMs }: Hits): string {
  return [50, 99].map((percent) => percentile(latenciesMs, percent).toFixed(1)).join(' / ') + ' ms';
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
