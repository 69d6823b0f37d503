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
import { type Counts, CountsOfFiles, noCounts } from './test-counts.ts';
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

const totals = noCounts();
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
  const countsOf = new CountsOfFiles();
  await runFiles(together, availableParallelism(), countsOf);
  await runFiles(byThemselves, 1, countsOf);
  const ofFailed = files.filter((file) => countsOf.of(file).failed > 0);
  const share = shareStolenSince(begun);
  if (ofFailed.length > 0 && share > stolenShareToTryAgain) {
    console.log(
      `\n${Math.round(share * 100)} % of the time others had this machine. Once more by themselves:\n`,
    );
    countsOf.forget(ofFailed);
    await runFiles(ofFailed, 1, countsOf);
  }
  countsOf.addTo(totals);
}

async function runFiles(files: string[], concurrency: number, countsOf: CountsOfFiles): Promise<void> {
  if (files.length === 0) return;
  // Not the file that a test stands in: several have their tests from the same one.
  const countsBehind = (event: { file?: string; entryFile?: string }): Counts =>
    countsOf.of(relative(process.cwd(), event.entryFile ?? event.file ?? ''));
  // What a failed test has left running must not keep its process, and with it everything, from ending.
  const stream = run({ files, concurrency, timeout: maxTestMs, forceExit: true });
  stream.on('test:pass', (event) => {
    if (event.skip !== undefined) countsBehind(event).skipped += 1;
    else if (event.details.type !== 'suite') countsBehind(event).passed += 1;
  });
  stream.on('test:fail', (event) => {
    if (event.details.type !== 'suite') countsBehind(event).failed += 1;
  });
  stream.compose(spec).pipe(process.stdout, { end: false });
  await new Promise((resolve) => stream.once('end', resolve));
  await new Promise((resolve) => setImmediate(resolve));
}
