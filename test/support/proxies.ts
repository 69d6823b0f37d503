// The reverse proxies of docs/cdn as real processes, with the shipped configuration: only addresses and paths are put in.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';

export type Proxy = { url: string; pid: number } & AsyncDisposable;

const shipped = join(import.meta.dirname, '../../docs/cdn');
/** Debian keeps nginx where only root looks. */
const path = `${process.env['PATH']}:/usr/sbin:/usr/local/sbin`;

/** False when it runs here; else why the test is skipped, said loudly. */
export function missing(program: 'nginx' | 'caddy'): string | false {
  const argument = program === 'nginx' ? '-v' : 'version';
  if (spawnSync(program, [argument], { env: { PATH: path } }).status === 0) return false;
  const message = `SKIPPED: ${program} is not installed here, so its configuration in docs/cdn was NOT tried`;
  console.error(`\n!!! ${message}\n`);
  return message;
}

export type NginxOptions = { dataDir: string; upstreamPort: number; cache?: boolean };

export async function startNginx(options: NginxOptions, extraServer = ''): Promise<Proxy> {
  const folder = mkdtempSync(join(tmpdir(), 'tintype-nginx-'));
  const port = await freePort();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  let config = readFileSync(join(shipped, 'nginx.conf'), 'utf8');
  if (options.cache) config = config.replaceAll('#cache ', '');
  config = putIn(config, {
    'user tintype;': `daemon off; ${process.getuid?.() === 0 ? 'user root;' : ''}`,
    'worker_processes auto;': 'worker_processes 1;',
    '/var/log/nginx/error.log warn': 'stderr crit',
    '/run/nginx.pid': `${folder}/nginx.pid`,
    'http {': `http { ${temporary.join(' ')} ${extraServer}`,
    '/var/cache/nginx/tintype': `${folder}/cache`,
    'server 127.0.0.1:3000;': `server 127.0.0.1:${options.upstreamPort};`,
    'listen 443 ssl http2;': `listen 127.0.0.1:${port};`,
    'ssl_certificate /etc/letsencrypt/live/img.example.com/fullchain.pem;': '',
    'ssl_certificate_key /etc/letsencrypt/live/img.example.com/privkey.pem;': '',
    '/var/lib/tintype/': `${options.dataDir}/`,
    'include tintype-handover.conf;': `include ${shipped}/tintype-handover.conf;`,
  });
  writeFileSync(join(folder, 'nginx.conf'), config);
  return start('nginx', ['-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf')], port, folder);
}

export async function startCaddy(options: { upstreamPort: number }): Promise<Proxy> {
  const folder = mkdtempSync(join(tmpdir(), 'tintype-caddy-'));
  const port = await freePort();
  const config = putIn(readFileSync(join(shipped, 'Caddyfile'), 'utf8'), {
    'img.example.com {': `{\n\tadmin off\n\tlog {\n\t\tlevel ERROR\n\t}\n}\nhttp://:${port} {\n\tbind 127.0.0.1`,
    'reverse_proxy 127.0.0.1:3000': `reverse_proxy 127.0.0.1:${options.upstreamPort}`,
  });
  const file = join(folder, 'Caddyfile');
  writeFileSync(file, config);
  return start('caddy', ['run', '--adapter', 'caddyfile', '--config', file], port, folder);
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

async function start(program: string, args: string[], port: number, folder: string): Promise<Proxy> {
  const child = spawn(program, args, {
    env: { PATH: path, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit');
  await eventually(() => answers(port), 10_000);
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid as number,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function answers(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
  } finally {
    socket.destroy();
  }
}
