// What an upload costs a node and what it costs PostgreSQL, in processor time and in bytes of log: from these follows how many
// nodes and how large a database a load needs. Beside it the same on SQLite, in alternating rounds; and how soon another
// node knows of a deletion.
import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import {
  benchDatabase,
  connected,
  dropDatabase,
  namedDatabase,
  noDatabase,
  secretKey,
} from './support/bench-database.ts';
import { temporaryFolder } from './support/cleanup.ts';
import { Connection } from './support/connection.ts';
import { load } from './support/load.ts';
import { jpegOf } from './support/pictures.ts';
import { treeCpuMs } from './support/process-usage.ts';
import { atMost, type Figure, type Scenario } from './support/report.ts';
import { apiRequest, type Service, startService } from './support/service.ts';
import { median, percentile } from './support/statistics.ts';
import { uploadRequest } from './support/upload-request.ts';

const name = 'tintype_bench_costs';
const fileBytes = 100 * 1024;
const connections = 8;
const rounds = 5;
const secondsPerRound = 2;
const warmUpSeconds = 6;
const deletions = 60;

type Round = { perSecond: number; nodeMs: number; postgresMs: number; logBytes: number };

export const costsPostgres: Scenario = async () => {
  if (!benchDatabase) return noDatabase;
  using folder = temporaryFolder();
  await dropDatabase(name);
  const { url } = await namedDatabase(name);
  const environment = {
    DATABASE_URL: url,
    SECRET_KEY: secretKey,
    FILES_STORE: `file:${join(folder.path, 'files')}`,
    STORAGE_STORE: `file:${join(folder.path, 'storage')}`,
  };
  const start = (node: string) =>
    startService({ dataDir: join(folder.path, node), jobs: false, environment });
  await using first = await start('first');
  await using second = await start('second');
  await using embedded = await startService({ dataDir: join(folder.path, 'embedded'), jobs: false });
  await using server = await connected(url);
  const request = uploadRequest(await jpegOf(fileBytes));
  const target = ({ port, pid }: Service) => ({ port, pid, request: () => request });
  for (const service of [first, embedded])
    await load(target(service), { connections, seconds: warmUpSeconds });
  const postmaster = parentOf((await server.query('select pg_backend_pid() as pid')).rows[0].pid as number);
  const logAt = async () =>
    Number((await server.query("select pg_current_wal_lsn() - '0/0' as at")).rows[0].at as string);
  const shared: Round[] = [];
  const alone: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const [cpuBefore, logBefore] = [treeCpuMs(postmaster), await logAt()];
    const done = await load(target(first), { connections, seconds: secondsPerRound });
    const count = done.latenciesMs.length;
    shared.push({
      perSecond: done.perSecond,
      nodeMs: done.cpuMsPerRequest,
      postgresMs: (treeCpuMs(postmaster) - cpuBefore) / count,
      logBytes: ((await logAt()) - logBefore) / count,
    });
    alone.push((await load(target(embedded), { connections, seconds: secondsPerRound })).perSecond);
  }
  const figures = describeUploads(shared, alone);
  figures.push(await measureDeletions(first, second));
  return figures;
};

function describeUploads(shared: readonly Round[], alone: readonly number[]): Figure[] {
  const of = (key: keyof Round): number => median(shared.map((round) => round[key]));
  return [
    {
      what: 'durable uploads of 100 KB, 8 at a time, to one account, per second',
      value: of('perSecond').toFixed(0),
    },
    { what: '  to the same on SQLite', value: (of('perSecond') / median([...alone])).toFixed(2) },
    { what: '  CPU of the node for each', value: `${of('nodeMs').toFixed(2)} ms` },
    { what: '  CPU of PostgreSQL for each', value: `${of('postgresMs').toFixed(2)} ms` },
    { what: '  log of PostgreSQL for each', value: `${(of('logBytes') / 1024).toFixed(1)} KB` },
  ];
}

/** From the answer to a deletion on one node to the first 404 on the other, which had the file in memory. */
async function measureDeletions(first: Service, second: Service): Promise<Figure> {
  const file = await jpegOf(fileBytes);
  const delays: number[] = [];
  const connection = await Connection.open(second.port);
  for (let index = 0; index < deletions; index++) {
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(file)]), 'a.jpg');
    const stored = (await (await first.call('/upload/', { method: 'POST', body: form })).json()) as {
      object_id: string;
      object_url: string;
    };
    const path = new URL(`${stored.object_url}original`).pathname;
    const look = async () => (await connection.exchange(apiRequest('GET', path))).status;
    if ((await look()) !== 200) throw new Error('The other node does not have it');
    await first.call(`/delete/${stored.object_id}`, { method: 'DELETE' });
    const answeredAt = performance.now();
    while ((await look()) === 200);
    delays.push(performance.now() - answeredAt);
  }
  connection.close();
  const p99 = percentile(delays, 99);
  return atMost(`a deletion is known on another node, p99 of ${deletions}`, p99, 1000, ' ms', 1);
}

function parentOf(pid: number): number {
  const [, parent] = /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
  return Number(parent);
}
