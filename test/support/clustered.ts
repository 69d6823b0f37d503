// A real service of several processes: what tests of them share. Every request goes over a connection of its own, since it
// is the connection that finds its process.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './eventually.ts';
import { ask, type Asked, type HttpAnswer } from './http-answers.ts';
import { filePart, multipart, multipartType } from './multipart.ts';
import { operatorKey } from './server.ts';
import { type Service, spawnService } from './spawn-service.ts';

export class Clustered {
  readonly dataDir: string;
  readonly service: Service;

  static async start(environment: Record<string, string> = {}, dataDir?: string): Promise<Clustered> {
    const folder = dataDir ?? (await mkdtemp(join(tmpdir(), 'tintype-cluster-')));
    return new Clustered(folder, await spawnService(folder, { WEB_CONCURRENCY: '3', ...environment }));
  }

  private constructor(dataDir: string, service: Service) {
    this.dataDir = dataDir;
    this.service = service;
  }

  get primary(): number {
    return this.service.process.pid as number;
  }

  httpProcesses(): number[] {
    return childrenOf(this.primary).filter((pid) => commandOf(pid).includes('--http-process'));
  }

  /** The primary, its children and theirs. */
  allProcesses(): number[] {
    return [this.primary, ...childrenOf(this.primary).flatMap((pid) => [pid, ...childrenOf(pid)])];
  }

  get(path: string, asked: Asked = {}): Promise<HttpAnswer> {
    return ask(this.service.url, path, asked);
  }

  async call(method: string, path: string, body?: object, key = operatorKey): Promise<any> {
    const headers = {
      Authorization: `Bearer ${key}`,
      ...(body ? { 'Content-Type': 'application/json' } : {}),
    };
    const answer = await this.get(path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    assert.equal(answer.status, 200, `${method} ${path}: ${answer.bytes.toString()}`);
    return JSON.parse(answer.bytes.toString());
  }

  /** The path of its public address. */
  async upload(file: Buffer, object: string, key = operatorKey): Promise<string> {
    const body = multipart([{ name: 'object', value: object }, filePart(file)]);
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': multipartType };
    const answer = await this.get('/upload/', { method: 'POST', headers, body });
    assert.equal(answer.status, 200, answer.bytes.toString());
    const { object_url: url } = JSON.parse(answer.bytes.toString()) as { object_url: string };
    return new URL(url).pathname;
  }

  async metric(line: string): Promise<number> {
    const text = (await this.get('/metrics')).bytes.toString();
    const found = text.split('\n').find((each) => each.startsWith(`${line} `));
    return found === undefined ? 0 : Number(found.slice(line.length + 1));
  }

  async jobsDone(): Promise<void> {
    await eventually(async () => assert.equal(await this.metric('tintype_jobs_waiting'), 0), 60_000);
  }

  async end(): Promise<void> {
    const all = this.allProcesses();
    this.service.process.kill('SIGKILL');
    await this.service.exited;
    await eventually(() => assert.deepEqual(all.filter(isAlive), []));
    await rm(this.dataDir, { recursive: true, force: true });
  }
}

export function isAlive(pid: number): boolean {
  const state = statOf(pid)?.[0];
  return state !== undefined && state !== 'Z' && state !== 'X';
}

function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((each) => Number(statOf(each)?.[1]) === pid && isAlive(each));
}

/** State, parent and what follows; nothing when there is no such process. */
function statOf(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}
