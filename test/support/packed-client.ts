// The client as npm would publish it, unpacked into the node_modules of a project that has nothing else.
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
export const compiler = join(root, 'node_modules/.bin/tsc');

export type ProjectWithClient = {
  folder: string;
  /** What the package contains. */
  files: string[];
  [Symbol.asyncDispose](): Promise<void>;
};

export async function projectWithClient(): Promise<ProjectWithClient> {
  const temporary = await mkdtemp(join(tmpdir(), 'tintype-client-'));
  const source = join(temporary, 'source');
  const folder = join(temporary, 'project');
  const installed = join(folder, 'node_modules/@tintype/client');
  await Promise.all([mkdir(source), mkdir(installed, { recursive: true })]);
  for (const name of ['package.json', 'README.md', 'LICENSE'])
    await copyFile(join(root, 'client', name), join(source, name));
  await run(compiler, ['-p', join(root, 'client'), '--outDir', join(source, 'dist')]);
  const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--json'], { cwd: source });
  const [packed] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
  await run('tar', ['-xzf', join(source, packed.filename), '-C', installed, '--strip-components=1']);
  await writeFile(
    join(folder, 'package.json'),
    JSON.stringify({ private: true, type: 'module', dependencies: { '@tintype/client': '*' } }),
  );
  return {
    folder,
    files: packed.files.map(({ path }) => path),
    [Symbol.asyncDispose]: () => rm(temporary, { recursive: true, force: true }),
  };
}
