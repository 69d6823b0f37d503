// Runs the test files (all of them, or those below the folders and files named) and ends with `N passed, N failed`.
import { availableParallelism } from 'node:os';
import { globSync } from 'node:fs';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';

const wanted = process.argv.slice(2);
const slow = /^test\/(cluster\/|crash\/|hardening\/slow-)/;
const files = globSync(['src/**/*.test.ts', 'test/**/*.test.ts'])
  .filter((file) => (wanted.length === 0 ? !slow.test(file) : wanted.some((start) => file.startsWith(start))))
  .sort();

let passed = 0;
let failed = 0;
let skipped = 0;
const stream = run({ files, concurrency: Math.max(2, availableParallelism()), timeout: 600_000 });
stream.on('test:pass', (event) => {
  if (event.skip !== undefined) skipped += 1;
  else if (event.details.type !== 'suite') passed += 1;
});
stream.on('test:fail', (event) => {
  if (event.details.type !== 'suite') failed += 1;
});
stream.compose(spec).pipe(process.stdout, { end: false });
stream.on('end', () => {
  setImmediate(() => {
    const counted = skipped > 0 ? `, ${skipped} skipped` : '';
    console.log(`\n${passed} passed, ${failed} failed${counted}`);
    process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
  });
});
