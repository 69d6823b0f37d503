// The runtimes the client says it runs in, as far as they are installed. Each is given a project whose `task.js` exports a
// function, and tells what that resolves to.
import { execFile, execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { programPath, programsNamed } from './program-path.ts';
import { resultInWorkerd } from './workerd.ts';

export type Runtime = {
  name: string;
  /** Null where it is not installed. */
  program: string | null;
  resultOfTask: (program: string, folder: string) => Promise<unknown>;
};

export const runtimes: Runtime[] = [
  { name: `Node.js ${process.versions.node}`, program: process.execPath, resultOfTask: printed(['main.js']) },
  { name: 'Node.js 20', program: nodeOf('v20.'), resultOfTask: printed(['main.js']) },
  {
    name: 'Deno',
    program: programPath('deno'),
    resultOfTask: printed(['run', '--no-prompt', '--no-lock', '--allow-net=127.0.0.1', 'main.js']),
  },
  { name: 'Bun', program: programPath('bun'), resultOfTask: printed(['--no-install', 'main.js']) },
  { name: 'workerd', program: programPath('workerd'), resultOfTask: resultInWorkerd },
];

function printed(args: string[]): Runtime['resultOfTask'] {
  return async (program, folder) => {
    await writeFile(
      join(folder, 'main.js'),
      `import task from './task.js';\nconsole.log(JSON.stringify(await task()));\n`,
    );
    const { stdout } = await promisify(execFile)(program, args, {
      cwd: folder,
      timeout: 120_000,
      // What they keep stays in the project, and goes with it.
      env: { HOME: folder, DENO_DIR: join(folder, '.deno'), DENO_NO_UPDATE_CHECK: '1' },
    });
    return JSON.parse(stdout);
  };
}

function nodeOf(version: string): string | null {
  const saysVersion = (path: string): string => execFileSync(path, ['--version'], { encoding: 'utf8' });
  return programsNamed('node').find((path) => saysVersion(path).startsWith(version)) ?? null;
}
