// nginx in front of nodes, with the configuration that is shipped in deploy/: only addresses and paths are put in.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';

const shipped = join(import.meta.dirname, '../../deploy/nginx.conf');
/** Debian keeps nginx where only root looks. */
const path = `${process.env['PATH']}:/usr/sbin:/usr/local/sbin`;

/** The shipped configuration for these nodes on this machine, with `listen` and the rest of its files below a folder. */
export function configurationFor(ports: readonly number[], listen: number, folder: string): string {
  const servers = ports.map((port) => `server 127.0.0.1:${port} max_fails=1 fail_timeout=2s;`);
  let config = readFileSync(shipped, 'utf8');
  // What nginx before 1.27.3 does not know, and loopback does not need.
  config = config.replace(/^ *server node-\d:3000 resolve .*\n/gm, '');
  return putIn(config, {
    'resolver 127.0.0.11 valid=5s;': '',
    'zone tintype 256k;': `zone tintype 256k; ${servers.join(' ')}`,
    'listen 8080;': `listen 127.0.0.1:${listen};`,
    'worker_processes auto;': `daemon off; worker_processes 2; ${process.getuid?.() === 0 ? 'user root;' : ''}`,
    'stderr warn': 'stderr error',
    '/tmp/': `${folder}/`,
  });
}

function putIn(text: string, values: Record<string, string>): string {
  let result = text;
  for (const [shippedText, value] of Object.entries(values)) {
    if (!result.includes(shippedText))
      throw new Error(`The shipped configuration no longer has: ${shippedText}`);
    result = result.replaceAll(shippedText, value);
  }
  return result;
}

/** What `nginx -t` says of a configuration; null when it is content. */
export function complaintsAbout(config: string, folder: string): string | null {
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, config);
  const { status, stderr } = spawnSync('nginx', ['-t', '-q', '-e', 'stderr', '-p', folder, '-c', file], {
    env: { PATH: path },
    encoding: 'utf8',
  });
  return status === 0 ? null : stderr;
}

export async function startBalancer(ports: readonly number[]): Promise<{ url: string } & AsyncDisposable> {
  const folder = mkdtempSync(join(tmpdir(), 'tintype-balancer-'));
  const port = await freePort();
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, configurationFor(ports, port, folder));
  const child = spawn('nginx', ['-e', 'stderr', '-p', folder, '-c', file], {
    env: { PATH: path },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit');
  const url = `http://127.0.0.1:${port}`;
  await eventually(() => fetch(`${url}/health/live`), 10_000);
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
