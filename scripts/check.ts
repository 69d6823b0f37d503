// Everything a change must pass: format, lint, types, generated documentation up to date, tests.
import { spawnSync } from 'node:child_process';

const quick = process.argv.includes('--no-tests');
const steps: [string, string, ...string[]][] = [
  ['format', 'node_modules/.bin/oxfmt', '--check', '.'],
  ['lint', 'node_modules/.bin/oxlint', '--deny-warnings', '.'],
  ['types', 'node_modules/.bin/tsc', '--noEmit', '-p', '.'],
  ['types of the client', 'node_modules/.bin/tsc', '--noEmit', '-p', 'client'],
  ['types of the dashboard', 'node_modules/.bin/tsc', '--noEmit', '-p', 'dashboard'],
  ['documentation', process.execPath, 'scripts/generate-docs.ts', '--check'],
  ...(quick ? [] : ([['tests', process.execPath, 'scripts/test.ts']] as [string, string, ...string[]][])),
];

const failed = steps.filter(([name, command, ...args]) => {
  console.log(`\n── ${name}`);
  return spawnSync(command, args, { stdio: 'inherit' }).status !== 0;
});
if (failed.length > 0) {
  console.error(`\nNot passed: ${failed.map(([name]) => name).join(', ')}`);
  process.exit(1);
}
