// Runs the test files (all of them, or those below the folders and files named) and ends with `N passed, N failed`. All of them
// means also: what the database promises, and the heart of the API, once more on PostgreSQL inside the test processes.
// The whole API on it: `TEST_DATABASE=pglite npm test -- test/api`.
import { availableParallelism } from 'node:os';
import { globSync } from 'node:fs';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';

const wanted = process.argv.slice(2);
const slow = /^test\/(cluster\/|crash\/|nodes\/|hardening\/slow-)/;
const ofEveryEngine =
  /^(test\/api\/(objects|listing|upload|keys|resumable)\.test|src\/platform\/(database\/[^/]+$|jobs\/|flights\/))/;
const all = globSync(['src/**/*.test.ts', 'test/**/*.test.ts']).sort();
const quick = all.filter((file) => !slow.test(file));

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
  const stream = run({ files, concurrency: Math.max(2, availableParallelism()), timeout: 600_000 });
  stream.on('test:pass', (event) => {
    if (event.skip !== undefined) counts.skipped += 1;
    else if (event.details.type !== 'suite') counts.passed += 1;
  });
  stream.on('test:fail', (event) => {
    if (event.details.type !== 'suite') counts.failed += 1;
  });
  stream.compose(spec).pipe(process.stdout, { end: false });
  await new Promise((resolve) => stream.once('end', resolve));
  await new Promise((resolve) => setImmediate(resolve));
}
