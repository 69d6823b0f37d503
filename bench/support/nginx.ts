// nginx as the measure of what serving a file costs: one process, sendfile, connections kept, no log, the same headers.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { watchChild } from './cleanup.ts';
import { Connection } from './connection.ts';
import { freePort } from './service.ts';

export type Nginx = { port: number; pid: number } & AsyncDisposable;

const programs = ['nginx', '/usr/sbin/nginx', '/usr/local/sbin/nginx'];
const readyWithinMs = 5000;
/** Those nginx makes itself from the file. */
const ownHeaders = new Set(['content-length', 'content-type', 'accept-ranges', 'etag', 'x-request-id']);
const temporaryPaths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

/** Serves the files of a folder; null when there is no nginx on this machine. */
export async function startNginx(
  folder: string,
  files: string,
  headers: Record<string, string>,
): Promise<Nginx | null> {
  const program = programs.find((name) => spawnSync(name, ['-v']).status === 0);
  if (!program) return null;
  const port = await freePort();
  const config = join(folder, 'nginx.conf');
  writeFileSync(config, configuration(folder, files, headers, port));
  const child = watchChild(
    spawn(program, ['-p', folder, '-e', 'stderr', '-c', config], { stdio: ['ignore', 'ignore', 'inherit'] }),
  );
  const ended = once(child, 'exit');
  await untilListening(port);
  return {
    port,
    pid: child.pid as number,
    async [Symbol.asyncDispose]() {
      child.kill();
      await ended;
    },
  };
}

/** Without a master, so that the one process that is measured is the one that was started. */
function configuration(folder: string, files: string, headers: Record<string, string>, port: number): string {
  const added = Object.entries(headers)
    .filter(([name]) => !ownHeaders.has(name))
    .map(([name, value]) => `add_header ${name} "${value}";`);
  return `
    master_process off; worker_processes 1; daemon off; pid ${join(folder, 'nginx.pid')};
    events { worker_connections 1024; }
    http {
      access_log off; sendfile on; tcp_nopush on; keepalive_timeout 30; keepalive_requests 1000000000;
      ${temporaryPaths.map((name) => `${name}_temp_path ${join(folder, name)};`).join(' ')}
      default_type ${headers['content-type'] ?? 'application/octet-stream'};
      server {
        listen 127.0.0.1:${port}; root ${files};
        ${added.join('\n        ')}
        add_header X-Request-Id $request_id;
      }
    }`;
}

async function untilListening(port: number): Promise<void> {
  const givesUpAt = performance.now() + readyWithinMs;
  while (performance.now() < givesUpAt) {
    const connection = await Connection.open(port).catch(() => null);
    connection?.close();
    if (connection) return;
    await delay(20);
  }
  throw new Error(`nginx was not ready within ${readyWithinMs / 1000} s`);
}
