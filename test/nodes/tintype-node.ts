// One node: the real program as a process group of its own, with a data folder and a port it keeps through every restart.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Api } from '../crash/api.ts';
import { groupEnded, groupMembers } from '../crash/process-group.ts';
import { type Ended, forgetProgram, killProgram, type Program, spawnProgram } from '../crash/program.ts';

const maxStartMs = 60_000;
const pollMs = 15;

export type NodeOptions = {
  port: number;
  dataDir: string;
  environment: Record<string, string>;
  /** The command and its options; `serve` by default. */
  args?: readonly string[];
};

export class TintypeNode {
  readonly api: Api;
  readonly options: NodeOptions;
  /** All it has said on both outputs, over all its starts. */
  said = '';
  #child: Program | null = null;
  #ended: Promise<Ended> = Promise.resolve({ code: null, signal: null });

  constructor(options: NodeOptions) {
    this.options = options;
    this.api = new Api(`http://127.0.0.1:${options.port}`);
  }

  get pid(): number {
    return this.#child?.pid as number;
  }

  get isRunning(): boolean {
    return this.#child !== null;
  }

  /** Does not wait until it is ready. */
  spawn(extra: Record<string, string> = {}): void {
    const { args = ['serve'], port, dataDir, environment } = this.options;
    const child = spawnProgram({
      args,
      port,
      dataDir,
      environment: { IMAGE_WORKERS: '1', WEBHOOK_ALLOW_PRIVATE: 'on', ...environment, ...extra },
    });
    this.#child = child;
    for (const output of [child.stdout, child.stderr])
      output.on('data', (data: Buffer) => (this.said += data.toString()));
    this.#ended = once(child, 'exit').then(([code, signal]) => {
      if (this.#child === child) this.#child = null;
      return { code, signal } as Ended;
    });
  }

  /** How the process ended that was started last. */
  ended(): Promise<Ended> {
    return this.#ended;
  }

  /** Milliseconds until it was ready. */
  async start(extra?: Record<string, string>): Promise<number> {
    const startedAt = performance.now();
    this.spawn(extra);
    for (;;) {
      if ((await this.api.send('/health/ready'))?.status === 200) return performance.now() - startedAt;
      if (!this.isRunning) throw new Error(`The node at ${this.api.url} did not start:\n${this.said}`);
      if (performance.now() - startedAt > maxStartMs)
        throw new Error(`Not ready after ${maxStartMs} ms:\n${this.said}`);
      await sleep(pollMs);
    }
  }

  members(): number[] {
    return groupMembers(this.pid);
  }

  /** With SIGKILL, and all its processes with it. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (!child) return;
    const pid = child.pid as number;
    this.killNow();
    await this.#ended;
    if (!(await groupEnded(pid, 5000)))
      throw new Error(`Processes survived SIGKILL: ${groupMembers(pid).join(', ')}`);
    forgetProgram(child);
  }

  async stop(): Promise<Ended> {
    this.#child?.kill('SIGTERM');
    return this.#ended;
  }

  killNow(): void {
    if (this.#child) killProgram(this.#child);
  }
}
