// Keeps a number of processes of this program running: starts them, puts a new one in the place of one that ended, and
// lets all of them finish what they do when the service stops.
import cluster, { type Worker } from 'node:cluster';
import { setTimeout as pause } from 'node:timers/promises';
import { OperatorError } from '../errors.ts';
import type { Log } from '../log.ts';
import { type Answers, type Ask, connectCalls } from './call-channel.ts';

const quickMs = 5000;
const firstPauseMs = 100;
const longestPauseMs = 10_000;

/** What every kept process answers. */
export type KeptAnswers = {
  /** Finishes what is under way, and ends. */
  stop(): void;
};
/** What is answered to every kept process, besides what the service adds. */
export type KeeperAnswers = {
  /** From now on it answers calls; told before it takes requests. */
  joined(): void;
  listening(): void;
  failed(reason: string): void;
};

export type KeptProcess<Theirs extends Answers> = { readonly pid: number; readonly ask: Ask<Theirs> };
type Member<Theirs extends Answers> = KeptProcess<Theirs> & {
  readonly worker: Worker;
  readonly startedAt: number;
  joined: boolean;
  listened: boolean;
};

export type KeptProcessesOptions<Theirs extends Answers> = {
  count: number;
  /** Arguments of the program. */
  args: string[];
  /** What one of them is answered, and what is to be done when it has ended. */
  connect(process: KeptProcess<Theirs>): { answers: Answers; ended: () => void };
  log: Log;
};

export class KeptProcesses<Theirs extends Answers & KeptAnswers> {
  readonly #options: KeptProcessesOptions<Theirs>;
  readonly #members = new Set<Member<Theirs>>();
  #state: 'starting' | 'running' | 'stopping' = 'starting';
  #quickDeaths = 0;

  constructor(options: KeptProcessesOptions<Theirs>) {
    this.#options = options;
  }

  /** Resolves when all of them take requests, or are stopped. Rejects, and leaves none, when one cannot. */
  async start(): Promise<void> {
    cluster.setupPrimary({ args: this.#options.args });
    try {
      await Promise.all(Array.from({ length: this.#options.count }, () => this.#startOne()));
    } catch (error) {
      if (this.#isStopping()) return;
      await this.stop(0);
      throw error;
    }
    if (this.#isStopping()) return;
    this.#state = 'running';
  }

  /** Those that can be asked. */
  joined(): KeptProcess<Theirs>[] {
    return [...this.#members].filter((member) => member.joined);
  }

  async stop(graceMs: number): Promise<void> {
    this.#state = 'stopping';
    await Promise.all(
      [...this.#members].map(async ({ worker, joined, ask }) => {
        const exited = new Promise((resolve) => worker.once('exit', resolve));
        const kill = setTimeout(() => worker.process.kill('SIGKILL'), joined ? graceMs : 0);
        // It ends before it could answer.
        if (joined) void (ask as Ask<KeptAnswers>)('stop').catch(() => undefined);
        await exited;
        clearTimeout(kill);
      }),
    );
  }

  #isStopping(): boolean {
    return this.#state === 'stopping';
  }

  #startOne(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const worker = cluster.fork();
    const keeper: KeeperAnswers = {
      joined: () => void (member.joined = true),
      listening: () => {
        member.listened = true;
        resolve();
      },
      failed: (reason) => reject(new OperatorError(reason)),
    };
    const known = { pid: worker.process.pid as number, ask: ((...asked) => ask(...asked)) as Ask<Theirs> };
    const { answers, ended } = this.#options.connect(known);
    const ask = connectCalls<Theirs>(worker, { ...answers, ...keeper }, this.#options.log);
    const member: Member<Theirs> = {
      ...known,
      worker,
      startedAt: Date.now(),
      joined: false,
      listened: false,
    };
    this.#members.add(member);
    const gone = (how: string | number): void => {
      if (!this.#members.delete(member)) return;
      ended();
      reject(new OperatorError(`A process that answers requests ended while it started (${how})`));
      if (this.#state === 'running' || member.listened) void this.#replace(member, how);
    };
    worker.once('disconnect', () => void (member.joined = false));
    worker.once('exit', (code, signal) => gone(signal ?? code));
    // One that could not even be started has no exit.
    worker.on('error', (error) => void (worker.process.pid === undefined && gone(error.message)));
    return promise;
  }

  async #replace({ pid, startedAt }: Member<Theirs>, how: string | number): Promise<void> {
    if (this.#isStopping()) return;
    this.#quickDeaths = Date.now() - startedAt < quickMs ? this.#quickDeaths + 1 : 0;
    const pauseMs =
      this.#quickDeaths < 2 ? 0 : Math.min(longestPauseMs, firstPauseMs * 2 ** (this.#quickDeaths - 2));
    this.#options.log.error({ pid, how, pauseMs }, 'a process that answers requests ended; starting another');
    await pause(pauseMs);
    if (this.#isStopping()) return;
    await this.#startOne().catch((error: unknown) =>
      this.#options.log.error({ err: error }, 'a process that answers requests could not start'),
    );
  }
}
