// The listings of the scenario `listing`, on PostgreSQL.
import { join } from 'node:path';
import { filledPostgresLibrary } from './fill-postgres-library.ts';
import { compareUploads, describeListings, measureListings } from './listing.ts';
import {
  benchDatabase,
  dropDatabase,
  namedDatabase,
  noDatabase,
  secretKey,
} from './support/bench-database.ts';
import { temporaryFolder } from './support/cleanup.ts';
import type { Scenario } from './support/report.ts';
import { startService } from './support/service.ts';

const emptyName = 'tintype_bench_empty';

export const listingPostgres: Scenario = async () => {
  if (!benchDatabase) return noDatabase;
  using folder = temporaryFolder();
  const start = (name: string, url: string) =>
    startService({
      dataDir: join(folder.path, name),
      jobs: false,
      environment: { DATABASE_URL: url, SECRET_KEY: secretKey },
    });
  await using large = await start('large', await filledPostgresLibrary());
  await dropDatabase(emptyName);
  await using empty = await start('empty', (await namedDatabase(emptyName)).url);
  const listings = await measureListings(large);
  const ratio = await compareUploads(large, empty);
  return [
    ...describeListings(listings),
    { what: 'upload of 100 KB, alone, p50, to an empty account', value: ratio.toFixed(2) },
  ];
};
