// Runs the test files and ends with `N passed, N failed`: those below the folders and files named; or all but the long ones, and
// once more on PostgreSQL inside the test processes whatever depends on the database. The long ones: `npm run test:long`.
//
// Much of what is tested has to happen in time. On a machine that others slow down a test can fail that says nothing about
// Tintype: there, and only there, files that failed are run once more by themselves, and it is said.
import { availableParallelism } from 'node:os';
import { globSync } from 'node:fs';
import { relative } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';
import { readMoment, shareStolenSince } from './stolen-time.ts';

const wanted = process.argv.slice(2);
const long = /^test\/(browser|cli|cluster|crash|nodes|proxy|hardening\/(broken|fuzz\.|rendering|slow)[^/]*$)/;
/** What is measured there must not be what other tests take. */
const alone = /^test\/(cluster\/|nodes\/|hardening\/(broken|rendering|slow)|contracts\/s3-faults)/;
const ofEveryEngine = /^(test\/api\/|src\/platform\/(database\/[^/]+$|jobs\/|flights\/))/;
const stolenShareToTryAgain = 0.2;
/** What takes longer hangs. */
const maxTestMs = 1_800_000;
const all = globSync(['src/**/*.test.ts', 'test/**/*.test.ts']).sort();
const quick = all.filter((file) => !long.test(file));

// Loading the service's sources is what most files begin with.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(
  new URL('../node_modules/.cache/tintype', import.meta.url),
);

type Counts = { passed: number; failed: number; skipped: number };
const totals: Counts = { passed: 0, failed: 0, skipped: 0 };
if (wanted.length > 0) await pass(all.filter((file) => wanted.some((start) => file.startsWith(start))));
else {
  await pass(quick);
  if (!process.env['TEST_DATABASE']) {
    process.env['TEST_DATABASE'] = 'pglite';
    console.log('\nOnce more on PostgreSQL (PGlite):\n');
    await pass(quick.filter((file) => ofEveryEngine.test(file)));
  }
}
const { passed, failed, skipped } = totals;
console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;

async function pass(named: string[]): Promise<void> {
  const onSqlite = (process.env['TEST_DATABASE'] ?? 'sqlite') === 'sqlite';
  const files = named.filter((file) => onSqlite || !file.includes('/sqlite/'));
  const { together = [], byThemselves = [] } = Object.groupBy(files, (file) =>
    alone.test(file) ? 'byThemselves' : 'together',
  );
  const begun = readMoment();
  const countsOf = new Map([
    ...(await runFiles(together, availableParallelism())),
    ...(await runFiles(byThemselves, 1)),
  ]);
  const ofFailed = [...countsOf].filter(([, counts]) => counts.failed > 0).map(([file]) => file);
  const share = shareStolenSince(begun);
  if (ofFailed.length > 0 && share > stolenShareToTryAgain) {
    console.log(
      `\n${Math.round(share * 100)} % of the time others had this machine. Once more by themselves:\n`,
    );
    for (const [file, counts] of await runFiles(ofFailed, 1)) countsOf.set(file, counts);
  }
  for (const counts of countsOf.values())
    for (const kind of ['passed', 'failed', 'skipped'] as const) totals[kind] += counts[kind];
}

async function runFiles(files: string[], concurrency: number): Promise<Map<string, Counts>> {
  const countsOf = new Map<string, Counts>();
  if (files.length === 0) return countsOf;
  const count = (kind: keyof Counts, file = ''): void => {
    const name = relative(process.cwd(), file);
    const counts = countsOf.get(name) ?? { passed: 0, failed: 0, skipped: 0 };
    counts[kind] += 1;
    countsOf.set(name, counts);
  };
  // What a failed test has left running must not keep its process, and with it everything, from ending.
  const stream = run({ files, concurrency, timeout: maxTestMs, forceExit: true });
  stream.on('test:pass', ({ skip, details, file }) => {
    if (skip !== undefined) count('skipped', file);
    else if (details.type !== 'suite') count('passed', file);
  });
  stream.on('test:fail', ({ details, file }) => {
    if (details.type !== 'suite') count('failed', file);
  });
  stream.compose(spec).pipe(process.stdout, { end: false });
  await new Promise((resolve) => stream.once('end', resolve));
  await new Promise((resolve) => setImmediate(resolve));
  return countsOf;
}
