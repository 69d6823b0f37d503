// Tintype as its users run it: a process of its own, started by the command of the documentation, on a free port.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { watchChild } from './cleanup.ts';
import { Connection } from './connection.ts';

export const operatorKey = 'operator-key-for-the-bench-0000';
const repository = join(import.meta.dirname, '..', '..');
const readyWithinMs = 20_000;

export type Service = {
  port: number;
  pid: number;
  /** From the start of the process to its first answer that it is ready. */
  startMs: number;
  /** A request to the API with the operator's key. */
  call(path: string, init?: RequestInit): Promise<Response>;
  stop(): Promise<void>;
} & AsyncDisposable;

export type ServiceOptions = {
  dataDir: string;
  jobs?: boolean;
  nodeOptions?: string[];
  environment?: Record<string, string>;
};

export async function startService(options: ServiceOptions): Promise<Service> {
  const port = await freePort();
  const serve = ['bin/tintype.js', 'serve', ...(options.jobs === false ? ['--no-jobs'] : [])];
  const startedAt = performance.now();
  const child = watchChild(
    spawn('sh', ['scripts/node', ...(options.nodeOptions ?? []), ...serve], {
      cwd: repository,
      env: {
        ...process.env,
        DATA_DIR: options.dataDir,
        HOST: '127.0.0.1',
        PORT: String(port),
        BASE_URL: `http://127.0.0.1:${port}`,
        BOOTSTRAP_API_KEY: operatorKey,
        ...options.environment,
      },
      // Each request is logged as by default; where the lines go to is not ours to measure.
      stdio: ['ignore', 'ignore', 'inherit'],
    }),
  );
  let stopping = false;
  const ended = once(child, 'exit').then(([code, signal]) => {
    if (!stopping) console.error(`Tintype ended by itself: ${code ?? signal}`);
  });
  await Promise.race([
    untilReady(port),
    ended.then(() => Promise.reject(new Error('Tintype ended before it was ready'))),
  ]);
  const startMs = performance.now() - startedAt;

  async function stop(): Promise<void> {
    stopping = true;
    child.kill('SIGTERM');
    await ended;
  }
  return {
    port,
    pid: child.pid as number,
    startMs,
    call: (path, init = {}) =>
      fetch(`http://127.0.0.1:${port}${path}`, {
        ...init,
        headers: { Authorization: `Bearer ${operatorKey}`, ...(init.headers as Record<string, string>) },
      }),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** A request without a body, as prepared bytes. */
export function apiRequest(method: string, path: string): Buffer {
  return Buffer.from(
    `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${operatorKey}\r\n\r\n`,
  );
}

async function untilReady(port: number): Promise<void> {
  const ask = Buffer.from('GET /health/ready HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
  const givesUpAt = performance.now() + readyWithinMs;
  while (performance.now() < givesUpAt) {
    const connection = await Connection.open(port).catch(() => null);
    const answer = await connection?.exchange(ask).catch(() => null);
    connection?.close();
    if (answer?.status === 200) return;
    await delay(5);
  }
  throw new Error(`Tintype was not ready within ${readyWithinMs / 1000} s`);
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}
