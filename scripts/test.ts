// Runs the test files and ends with `N passed, N failed`: those below the folders and files named; or all but the long ones, and
// once more on PostgreSQL inside the test processes whatever depends on the database. The long ones: `npm run test:long`.
import { availableParallelism } from 'node:os';
import { globSync } from 'node:fs';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';

const wanted = process.argv.slice(2);
const long = /^test\/(browser|cli|cluster|crash|nodes|proxy|hardening\/(broken|fuzz\.|rendering|slow)[^/]*$)/;
/** What is measured there must not be what other tests take. */
const alone =
  /^test\/(browser\/|cluster\/|nodes\/|hardening\/(broken|rendering|slow)|api\/(s3|variant-budget)\.|contracts\/s3-faults)/;
const ofEveryEngine = /^(test\/api\/|src\/platform\/(database\/[^/]+$|jobs\/|flights\/))/;
const all = globSync(['client/src/**/*.test.ts', 'src/**/*.test.ts', 'test/**/*.test.ts']).sort();
const quick = all.filter((file) => !long.test(file));

// Loading the service's sources is what most files begin with.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(
  new URL('../node_modules/.cache/tintype', import.meta.url),
);

const endAfterTests = new URL('end-after-tests.ts', import.meta.url).href;
const counts = { passed: 0, failed: 0, skipped: 0 };
if (wanted.length > 0) await pass(all.filter((file) => wanted.some((start) => file.startsWith(start))));
else {
  await pass(quick);
  if (!process.env['TEST_DATABASE']) {
    process.env['TEST_DATABASE'] = 'pglite';
    console.log('\nOnce more on PostgreSQL (PGlite):\n');
    await pass(quick.filter((file) => ofEveryEngine.test(file)));
  }
}
const { passed, failed, skipped } = counts;
console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;

async function pass(named: string[]): Promise<void> {
  const onSqlite = (process.env['TEST_DATABASE'] ?? 'sqlite') === 'sqlite';
  const files = named.filter((file) => onSqlite || !file.includes('/sqlite/'));
  const { together = [], byThemselves = [] } = Object.groupBy(files, (file) =>
    alone.test(file) ? 'byThemselves' : 'together',
  );
  await runFiles(together, availableParallelism());
  await runFiles(byThemselves, 1);
}

async function runFiles(files: string[], concurrency: number): Promise<void> {
  if (files.length === 0) return;
  // What a failed test has left running must not keep its process, and with it everything, from ending.
  const stream = run({ files, concurrency, timeout: 600_000, execArgv: ['--import', endAfterTests] });
  stream.on('test:pass', (event) => {
    if (event.skip !== undefined) counts.skipped += 1;
    else if (event.details.type !== 'suite') counts.passed += 1;
  });
  stream.on('test:fail', ({ details }) => {
    // A suite fails with its tests, which are counted, or by what it does before and after them.
    const { failureType } = details.error as Error & { failureType?: string };
    if (details.type !== 'suite' || failureType !== 'subtestsFailed') counts.failed += 1;
  });
  stream.compose(spec).pipe(process.stdout, { end: false });
  await new Promise((resolve) => stream.once('end', resolve));
  await new Promise((resolve) => setImmediate(resolve));
}
