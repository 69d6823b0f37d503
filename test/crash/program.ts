// The real program as a process group of its own, which does not outlive the test, however that ends.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { operatorKey } from './api.ts';

export type Program = ChildProcessByStdio<null, Readable, Readable>;
export type Ended = { code: number | null; signal: NodeJS.Signals | null };
export type ProgramOptions = {
  args: readonly string[];
  port: number;
  dataDir: string;
  environment?: Record<string, string | undefined>;
  /** A command to run the program with, such as a tracer. */
  under?: readonly string[];
};

const projectFolder = fileURLToPath(new URL('../..', import.meta.url));
const running = new Set<Program>();

export function spawnProgram({ args, port, dataDir, environment, under = [] }: ProgramOptions): Program {
  const [command = '', ...rest] = [...under, 'sh', 'scripts/node', 'bin/tintype.js', ...args];
  const program = spawn(command, rest, {
    cwd: projectFolder,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      PORT: String(port),
      // The same at every start, while the port may not be.
      BASE_URL: 'http://tintype.test',
      DATA_DIR: dataDir,
      BOOTSTRAP_API_KEY: operatorKey,
      LOG_LEVEL: 'warn',
      ...environment,
    },
  });
  running.add(program);
  return program;
}

/** With SIGKILL, and all its processes with it. */
export function killProgram(program: Program): void {
  try {
    process.kill(-(program.pid as number), 'SIGKILL');
  } catch {
    // Nobody is left.
  }
}

/** Its whole group is gone. */
export function forgetProgram(program: Program): void {
  running.delete(program);
}

process.on('exit', () => running.forEach(killProgram));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
