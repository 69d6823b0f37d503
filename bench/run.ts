// `npm run bench [-- <scenario> …] [--profile]`: runs the scenarios named, or all, and prints one table. `--profile`
// also prints where uploads and delivery spend the service's time; the figures are then those of a slower service.
import { availableParallelism, cpus, loadavg } from 'node:os';
import { delivery } from './delivery.ts';
import { handover } from './handover.ts';
import { listing } from './listing.ts';
import { memory } from './memory.ts';
import { start } from './start.ts';
import { describeDisk } from './support/disk.ts';
import { type Figure, type Scenario, table } from './support/report.ts';
import { uploads } from './uploads.ts';

const scenarios: Record<string, Scenario> = { start, memory, uploads, listing, delivery, handover };

const args = process.argv.slice(2);
const profile = args.includes('--profile');
const named = args.filter((arg) => arg !== '--profile');
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
  const figures = await scenario({ profile });
  rows.push(...figures.map((figure) => ({ scenario: name, ...figure })));
}
const machine = `${availableParallelism()} × ${cpus()[0]?.model ?? 'unknown'}, Node ${process.version}`;
console.log(`\n${machine}; ${conditions}\n`);
console.log(table(rows));
process.exit(rows.some(({ passed }) => passed === false) ? 1 : 0);
