// The real program as its own process group, started, watched and killed from outside.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../support/free-port.ts';
import { Api } from './api.ts';
import { groupEnded, groupMembers } from './process-group.ts';
import { type Ended, forgetProgram, killProgram, type Program, spawnProgram } from './program.ts';

const pollMs = 15;
const maxStartMs = 30_000;

export type StartOptions = {
  dataDir: string;
  failpoint?: string;
  environment?: Record<string, string>;
  /** A command to run the program with, such as a tracer. */
  under?: readonly string[];
  /** Options of `serve`. */
  args?: readonly string[];
};

export class Service {
  readonly api: Api;
  readonly #child: Program;
  readonly #startedAt = performance.now();
  /** Resolves with how the leader of the group ended. */
  readonly died: Promise<Ended>;
  /** Resolves when it has died, or one of its processes has at a failpoint. */
  readonly fell: Promise<void>;
  isDead = false;
  /** All it has said on both outputs. */
  said = '';

  static async start(options: StartOptions): Promise<Service> {
    return new Service(options, await freePort());
  }

  private constructor(
    { dataDir, failpoint, environment, under = [], args = [] }: StartOptions,
    port: number,
  ) {
    this.api = new Api(`http://127.0.0.1:${port}`);
    this.#child = spawnProgram({
      args: ['serve', ...args],
      port,
      dataDir,
      under,
      environment: {
        IMAGE_WORKERS: '2',
        // Runs all of this against a service of several processes.
        WEB_CONCURRENCY: process.env['WEB_CONCURRENCY'] ?? '1',
        ...(failpoint ? { TINTYPE_FAILPOINT: failpoint } : {}),
        ...environment,
      },
    });
    const fell = Promise.withResolvers<void>();
    this.fell = fell.promise;
    for (const output of [this.#child.stdout, this.#child.stderr])
      output.on('data', (data: Buffer) => {
        this.said += data.toString();
        if (this.said.includes('died at failpoint')) fell.resolve();
      });
    this.died = once(this.#child, 'exit').then(([code, signal]) => {
      this.isDead = true;
      fell.resolve();
      return { code, signal } as Ended;
    });
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  /** Milliseconds from the start until it said it was ready; null when it died first. */
  async ready(): Promise<number | null> {
    for (;;) {
      const answer = await this.api.send('/health/ready');
      const took = performance.now() - this.#startedAt;
      if (answer?.status === 200) return took;
      if (this.isDead) return null;
      if (took > maxStartMs) throw new Error(`Not ready after ${maxStartMs} ms:\n${this.said}`);
      await sleep(pollMs);
    }
  }

  members(): number[] {
    return groupMembers(this.pid);
  }

  /** Whether every process of the group is gone in time, killed or by itself. */
  allGone(withinMs: number): Promise<boolean> {
    return groupEnded(this.pid, withinMs);
  }

  async killGroup(): Promise<void> {
    this.killNow();
    await this.died;
    if (!(await this.allGone(2000)))
      throw new Error(`Processes survived SIGKILL: ${this.members().join(', ')}`);
    forgetProgram(this.#child);
  }

  async killLeader(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.died;
  }

  killNow(): void {
    killProgram(this.#child);
  }
}
