// Runs the real command line in a process of its own, with an environment of its own.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { picture } from '../support/pictures.ts';

const project = fileURLToPath(new URL('../..', import.meta.url));

export type CliResult = { code: number | null; signal: string | null; stdout: string; stderr: string };

export function startCli(
  args: string[],
  environment: Record<string, string>,
  input?: string,
): { child: ChildProcess; ended: Promise<CliResult> } {
  const child = spawn('sh', ['scripts/node', 'bin/tintype.js', ...args], {
    cwd: project,
    env: { PATH: process.env['PATH'], LOG_LEVEL: 'fatal', ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.end(input);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<CliResult>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  return { child, ended };
}

export function runCli(
  args: string[],
  environment: Record<string, string>,
  input?: string,
): Promise<CliResult> {
  return startCli(args, environment, input).ended;
}

// oxlint-disable-next-line typescript/no-explicit-any -- tests read JSON of many shapes
export async function runJson(
  args: string[],
  environment: Record<string, string>,
  input?: string,
): Promise<any> {
  const { code, stdout, stderr } = await runCli([...args, '--json'], environment, input);
  if (stdout === '') throw new Error(`tintype ${args.join(' ')} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout);
}

/** Distinct pictures at the given paths below a folder. */
export async function writePictures(root: string, paths: readonly string[]): Promise<void> {
  for (const [index, path] of paths.entries()) {
    const file = join(root, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, await picture(60 + index, 40));
  }
}
