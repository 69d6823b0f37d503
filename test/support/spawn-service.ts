// The real program as its own process, started as an operator starts it, for what only a process can show.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.ts';
import { operatorKey } from './server.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

export type Service = {
  url: string;
  process: ChildProcess;
  output(): string;
  /** Resolves with how it ended. */
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
};

export async function spawnService(
  dataDir: string,
  environment: Record<string, string> = {},
): Promise<Service> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn('sh', ['scripts/node', 'bin/tintype.js', 'serve'], {
    cwd: root,
    env: {
      PATH: process.env['PATH'],
      PORT: String(port),
      BASE_URL: url,
      DATA_DIR: dataDir,
      BOOTSTRAP_API_KEY: operatorKey,
      LOG_LEVEL: 'warn',
      IMAGE_WORKERS: '2',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => (output += String(chunk)));
  child.stderr.on('data', (chunk) => (output += String(chunk)));
  const exited = once(child, 'exit').then(
    ([code, signal]) => ({ code, signal }) as Awaited<Service['exited']>,
  );
  await new Promise<void>((resolve, reject) => {
    const look = (): void => void (output.includes('ready at') && resolve());
    child.stdout.on('data', look);
    void exited.then(() => reject(new Error(`The service did not start: ${output}`)));
  });
  return { url, process: child, output: () => output, exited };
}
