// The examples of the documentation, run for real: commands by a shell, scripts with the client of this repository. An answer
// that is shown must have exactly the fields that came, and an example that nobody runs must say why.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, mock, test } from 'node:test';
import { readText, repository } from '../../scripts/docs/pages.ts';
import { type Example, examplesIn } from '../support/doc-examples.ts';
import { curlPath, type ExampleWorld, startExampleWorld } from '../support/example-world.ts';
import { assertSameFields } from '../support/same-fields.ts';

const pages = ['docs/quick-start.md', 'docs/api.md', 'docs/uploads.md', 'docs/webhooks.md'];
const skip = curlPath === null && 'CURL IS NOT INSTALLED: no example of the documentation was run';

for (const page of pages) {
  const examples = examplesIn(readText(page));

  test(`${page}: every example is run, tried elsewhere, or says why not`, () => {
    for (const { fate, line } of examples) {
      assert.notEqual(fate.kind, 'forgotten', `${page}:${line} has no note of what becomes of it`);
      if (fate.kind !== 'tried') continue;
      assert.ok(existsSync(join(repository, fate.by)), `${page}:${line}: there is no ${fate.by}`);
      assert.ok(readText(fate.by).includes(page.split('/').at(-1) as string), `${fate.by} reads ${page}`);
    }
  });

  describe(`${page}: the examples`, { skip }, () => {
    let world: ExampleWorld;
    before(async () => {
      world = await startExampleWorld();
      mock.method(console, 'log', () => undefined);
    });
    after(async () => {
      mock.restoreAll();
      await world[Symbol.asyncDispose]();
    });

    for (const example of examples)
      if (example.fate.kind === 'run')
        test(`${page}:${example.line} ${firstLine(example)}`, () => run(world, example));

    test(`${page}: the types of the client are what its examples take them for`, () => {
      const files = examples
        .filter(({ language }) => language === 'ts')
        .map(({ code }) => world.writeScript(code));
      assertTypes(world.folder, files);
    });
  });
}

/** With the settings of this repository, except that an example need not use all it names. */
function assertTypes(folder: string, files: readonly string[]): void {
  const settings = {
    extends: join(repository, 'tsconfig.json'),
    compilerOptions: {
      noUnusedLocals: false,
      rewriteRelativeImportExtensions: false,
      lib: ['esnext', 'dom'],
    },
    files,
    include: [],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings));
  const { status, stdout } = spawnSync(
    join(repository, 'node_modules/.bin/tsc'),
    ['--noEmit', '-p', folder],
    {
      encoding: 'utf8',
    },
  );
  assert.equal(status, 0, stdout);
}

async function run(world: ExampleWorld, { language, code, answer }: Example): Promise<void> {
  if (language !== 'sh') return world.runScript(code);
  const printed = await world.runShell(code);
  if (answer === null) return;
  const came: unknown = JSON.parse(printed);
  assertSameFields(came, JSON.parse(answer));
  world.remember(came);
}

function firstLine({ code }: Example): string {
  return (code.split('\n').find((line) => line.trim() !== '') ?? '').slice(0, 100);
}
