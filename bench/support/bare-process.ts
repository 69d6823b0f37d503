// Starts one of the bare servers in a process of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { watchChild } from './cleanup.ts';

export type BareProcess = { port: number; pid: number } & AsyncDisposable;

export type BareOptions = { environment?: Record<string, string>; niceness?: number };

export async function startBare(
  file: string,
  args: readonly string[],
  { environment = {}, niceness = 0 }: BareOptions = {},
): Promise<BareProcess> {
  // `nice` becomes the program, so that the process is the one that is measured, and all its threads are niced.
  const child = watchChild(
    spawn('nice', ['-n', String(niceness), process.execPath, file, ...args], {
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );
  const ended = once(child, 'exit');
  const [line] = (await Promise.race([
    once(child.stdout, 'data'),
    ended.then(() => Promise.reject(new Error(`${file} ended before it was ready`))),
  ])) as [Buffer];
  return {
    port: Number(line.toString()),
    pid: child.pid as number,
    async [Symbol.asyncDispose]() {
      child.kill();
      await ended;
    },
  };
}
