// Listings of an account with a million objects and a hundred thousand gaps between them: the first page, filters with
// exact totals, pages far down; and what uploads and deletions cost there.
import { constants, copyFileSync, fsyncSync, mkdirSync, openSync, closeSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { manifestKey } from '../src/objects/object-keys.ts';
import { checkLibrary } from './check-library.ts';
import { filledLibrary, libraryFolder } from './fill-library.ts';
import { fewThousand, manyThousand } from './library-shape.ts';
import { temporaryFolder } from './support/cleanup.ts';
import { Connection } from './support/connection.ts';
import { jpegOf } from './support/pictures.ts';
import { atMost, type Figure, type Scenario } from './support/report.ts';
import { apiRequest, type Service, startService } from './support/service.ts';
import { median, percentile } from './support/statistics.ts';
import { uploadRequest } from './support/upload-request.ts';

const listingRounds = 300;
const warmUpRounds = 50;
const deletions = 200;
const uploadsEach = 300;

const addresses = {
  first: '/get/?page=1&page_size=10',
  few: `/get/?tags=${fewThousand.join()}`,
  many: `/get/?tags=${manyThousand.join()}`,
  page10k: '/get/?page=10000&page_size=10',
  page100k: '/get/?page=100000&page_size=10',
};
type Name = keyof typeof addresses;

export const listing: Scenario = async () => {
  using folder = temporaryFolder();
  const largeDir = join(folder.path, 'large');
  const databaseFile = join(largeDir, 'tintype.db');
  mkdirSync(largeDir);
  copyDurably(await filledLibrary(), databaseFile);
  await using large = await startService({ dataDir: largeDir, jobs: false });
  await using empty = await startService({ dataDir: join(folder.path, 'empty'), jobs: false });
  await checkLibrary(large, databaseFile);
  const listings = await measureListings(large);
  const ratio = await compareUploads(large, empty);
  const deletionMs = await measureDeletions(large, largeDir, databaseFile);
  await checkLibrary(large, databaseFile);
  return [
    ...describeListings(listings),
    { what: 'upload of 100 KB, alone, p50, to an empty account', value: ratio.toFixed(2) },
    { what: `deletion p50 / p99 of ${deletions}, anywhere`, value: deletionMs },
    { what: 'listings checked against all rows, before and after', value: 'equal', passed: true },
    { what: 'the filled library is kept in', value: libraryFolder },
  ];
};

/** Written back before anything is measured, else the copy's bytes go to the disk in the middle of it. */
function copyDurably(from: string, to: string): void {
  copyFileSync(from, to, constants.COPYFILE_FICLONE);
  const file = openSync(to, 'r+');
  fsyncSync(file);
  closeSync(file);
}

export type Listings = Record<Name, { p50: number; p99: number; total: string | undefined }>;

export async function measureListings(service: Service): Promise<Listings> {
  const connection = await Connection.open(service.port);
  const asked = (Object.keys(addresses) as Name[]).map((name) => ({
    name,
    request: apiRequest('GET', addresses[name]),
    latenciesMs: [] as number[],
    total: undefined as string | undefined,
  }));
  for (let round = -warmUpRounds; round < listingRounds; round++) {
    for (const each of asked) {
      const startedAt = performance.now();
      const { status, head } = await connection.exchange(each.request);
      if (status !== 200) throw new Error(`${addresses[each.name]} was answered ${status}`);
      if (round >= 0) each.latenciesMs.push(performance.now() - startedAt);
      each.total = /\r\nx-total-count: (\d+)/i.exec(head)?.[1];
    }
  }
  connection.close();
  return Object.fromEntries(
    asked.map(({ name, latenciesMs, total }) => [
      name,
      { p50: median(latenciesMs), p99: percentile(latenciesMs, 99), total },
    ]),
  ) as Listings;
}

export function describeListings({ first, few, many, page10k, page100k }: Listings): Figure[] {
  return [
    atMost(`page 1 of ${first.total} objects, p50`, first.p50, 5, ' ms', 2),
    atMost(`two tags on ${few.total} objects, p50`, few.p50, 5, ' ms', 2),
    {
      what: `two tags on ${many.total ?? 'more than 10,000'} objects, p50`,
      value: `${many.p50.toFixed(2)} ms`,
    },
    atMost('page 10,000, p50 to page 1', page10k.p50 / first.p50, 3, ' ×', 2),
    atMost('page 100,000, p50 to page 1', page100k.p50 / first.p50, 3, ' ×', 2),
    {
      what: 'p99: page 1 / two tags / page 100,000',
      value: [first, few, page100k].map(({ p99 }) => p99.toFixed(1)).join(' / ') + ' ms',
    },
  ];
}

export async function compareUploads(large: Service, empty: Service): Promise<number> {
  const request = uploadRequest(await jpegOf(100 * 1024));
  const sides = await Promise.all(
    [large, empty].map(async ({ port }) => ({
      connection: await Connection.open(port),
      latenciesMs: [] as number[],
    })),
  );
  for (let i = -warmUpRounds; i < uploadsEach; i++) {
    for (const { connection, latenciesMs } of sides) {
      const startedAt = performance.now();
      const { status } = await connection.exchange(request);
      if (status !== 200) throw new Error(`An upload was answered ${status}`);
      if (i >= 0) latenciesMs.push(performance.now() - startedAt);
    }
  }
  for (const { connection } of sides) connection.close();
  const [inLarge, inEmpty] = sides.map(({ latenciesMs }) => median(latenciesMs)) as [number, number];
  return inLarge / inEmpty;
}

/** Gives the objects their manifests first: removing that durably is part of every deletion. */
async function measureDeletions(service: Service, dataDir: string, databaseFile: string): Promise<string> {
  const sqlite = new Sqlite(databaseFile, { readonly: true });
  const chosen = sqlite
    .prepare('select object_id, bucket_id, generation from objects where seq % 5003 = 7 limit ?')
    .all(deletions) as { object_id: string; bucket_id: string; generation: string }[];
  sqlite.close();
  const connection = await Connection.open(service.port);
  const latenciesMs: number[] = [];
  for (const { object_id: objectId, bucket_id: bucketId, generation } of chosen) {
    const manifest = join(dataDir, 'files', manifestKey(bucketId, generation));
    mkdirSync(dirname(manifest), { recursive: true });
    writeFileSync(manifest, '{}', { flush: true });
    const startedAt = performance.now();
    const { status } = await connection.exchange(apiRequest('DELETE', `/delete/${objectId}`));
    if (status !== 200) throw new Error(`A deletion was answered ${status}`);
    latenciesMs.push(performance.now() - startedAt);
  }
  connection.close();
  return [50, 99].map((percent) => percentile(latenciesMs, percent).toFixed(1)).join(' / ') + ' ms';
}
