// A PostgreSQL server of a test's own, which may be stopped and frozen; the one of TEST_DATABASE belongs to others too.
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../support/free-port.ts';

const script = join(import.meta.dirname, '../../scripts/postgres.sh');

/** False when one can be started; else why the test is skipped, said loudly. */
export function missingRoot(): string | false {
  if (process.getuid?.() === 0) return false;
  const message = 'SKIPPED: only root starts a PostgreSQL server here, so its outages were NOT tried';
  console.error(`\n!!! ${message}\n`);
  return message;
}

export class OwnPostgres implements Disposable {
  readonly port: number;
  readonly url: string;
  readonly #folder: string;

  static async start(): Promise<OwnPostgres> {
    // Not below a folder that only we may enter: the server runs as another user.
    return new OwnPostgres(
      join(tmpdir(), `tintype-postgres-${randomBytes(4).toString('hex')}`),
      await freePort(),
    );
  }

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.port = port;
    this.url = `postgres://postgres@127.0.0.1:${port}/postgres`;
    this.start();
  }

  start(): void {
    this.#run('start', this.#folder, String(this.port));
  }

  stop(): void {
    this.#run('stop', this.#folder);
  }

  /** The server and all its sessions, as a machine that hangs: connections are taken, and nobody answers. */
  freeze(): void {
    this.#signalAll('SIGSTOP');
  }

  thaw(): void {
    this.#signalAll('SIGCONT');
  }

  [Symbol.dispose](): void {
    this.thaw();
    this.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #signalAll(signal: NodeJS.Signals): void {
    const server = Number(readFileSync(join(this.#folder, 'postmaster.pid'), 'utf8').split('\n')[0]);
    // The server first: then it starts no more of them.
    for (const pid of [server, ...childrenOf(server)]) {
      try {
        process.kill(pid, signal);
      } catch {
        // A session that has ended meanwhile.
      }
    }
  }

  #run(...args: string[]): void {
    const { status, stderr } = spawnSync(script, args, {
      encoding: 'utf8',
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    if (status !== 0) throw new Error(`postgres.sh ${args.join(' ')}: ${stderr}`);
  }
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
        return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === parent;
      } catch {
        return false;
      }
    });
}
