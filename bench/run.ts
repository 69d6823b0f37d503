// `npm run bench [-- <scenario> …] [--profile] [--chart <file>]`: runs the scenarios named, or all, and prints one table.
// `--profile` also prints where uploads and delivery spend the service's time; the figures are then those of a slower
// service. `--chart` draws the ratios as SVG.
import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { costsPostgres } from './costs-postgres.ts';
import { dashboard } from './dashboard.ts';
import { delivery } from './delivery.ts';
import { films } from './films.ts';
import { flood } from './flood.ts';
import { handover } from './handover.ts';
import { listing } from './listing.ts';
import { listingPostgres } from './listing-postgres.ts';
import { memory } from './memory.ts';
import { rendering } from './rendering.ts';
import { search } from './search.ts';
import { searchPostgres } from './search-postgres.ts';
import { searchQuality } from './search-quality.ts';
import { singleFlight } from './single-flight.ts';
import { start } from './start.ts';
import { chart } from './support/chart.ts';
import { describeDisk } from './support/disk.ts';
import { type Figure, type Scenario, table } from './support/report.ts';
import { transcode } from './transcode.ts';
import { uploads } from './uploads.ts';

const scenarios: Record<string, Scenario> = {
  start,
  memory,
  uploads,
  listing,
  'listing-postgres': listingPostgres,
  'costs-postgres': costsPostgres,
  delivery,
  handover,
  rendering,
  flood,
  'single-flight': singleFlight,
  transcode,
  films,
  search,
  'search-postgres': searchPostgres,
  'search-quality': searchQuality,
  dashboard,
};

const { values, positionals: named } = parseArgs({
  allowPositionals: true,
  options: { profile: { type: 'boolean', default: false }, chart: { type: 'string' } },
});
const unknown = named.filter((name) => !(name in scenarios));
if (unknown.length > 0) {
  console.error(
    `There is no scenario ${unknown.join(', ')}. There are: ${Object.keys(scenarios).join(', ')}`,
  );
  process.exit(2);
}

// Before the scenarios: they leave the disk busy, and raise the load themselves.
const conditions = `${describeDisk()}; load before ${(loadavg()[1] as number).toFixed(1)}`;
const rows: (Figure & { scenario: string })[] = [];
for (const [name, scenario] of Object.entries(scenarios)) {
  if (named.length > 0 && !named.includes(name)) continue;
  console.error(`${name} …`);
  const figures = await scenario({ profile: values.profile });
  rows.push(...figures.map((figure) => ({ scenario: name, ...figure })));
}
const machine = `${availableParallelism()} × ${cpus()[0]?.model ?? 'unknown'}, Node ${process.version}`;
console.log(`\n${machine}; ${conditions}\n`);
console.log(table(rows));
if (values.chart !== undefined)
  writeFileSync(
    values.chart,
    chart(rows, `npm run bench; ${availableParallelism()} cores, Node ${process.version}`),
  );
process.exit(rows.some(({ passed }) => passed === false) ? 1 : 0);
