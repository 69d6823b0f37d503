// Starts one of the bare servers in a process of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { watchChild } from './cleanup.ts';

export type BareProcess = { port: number; pid: number } & AsyncDisposable;

export async function startBare(file: string, ...args: string[]): Promise<BareProcess> {
  const child = watchChild(
    spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'inherit'] }),
  );
  const ended = once(child, 'exit');
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return {
    port: Number(line.toString()),
    pid: child.pid as number,
    async [Symbol.asyncDispose]() {
      child.kill();
      await ended;
    },
  };
}
