// One session that stays: it hears notifications, keeps our clock in step with the server's, and finds out within two seconds
// when the server no longer answers. Then everything under way fails at once instead of hanging, until it is back. When only
// its own line was cut, it takes another, and nobody else notices.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Notification, Sessions, Watch } from './sessions.ts';

const pingEveryMs = 400;
const answerWithinMs = 1_200;
const reconnectEveryMs = 250;
/** A timer this late says that this process was held up, not the server. */
const lateMs = 200;

/** Of a question: a line that was cut says nothing about the server, silence does. */
type Outcome = 'answered' | 'cut' | 'silent';

export type ServerWatchOptions = {
  sessions: Sessions;
  channels: readonly string[];
  hear: (notification: Notification) => void;
  /** Notifications may have been missed. */
  onGap: () => void;
};

export class ServerWatch {
  readonly #options: ServerWatchOptions;
  readonly #stopping = new AbortController();
  #watch: Watch | null = null;
  #kept: Promise<void> = Promise.resolve();
  #clockOffsetMs = 0;
  /** When the last question was asked that was answered: what was committed before has been heard by now. */
  #provenAt = -Infinity;

  constructor(options: ServerWatchOptions) {
    this.#options = options;
  }

  /** Rejects when the server cannot be reached now; from then on it is tried for as long as it takes. */
  async start(): Promise<void> {
    const watch = await this.#connect();
    this.#kept = this.#keep(watch);
  }

  now(): number {
    return Date.now() + this.#clockOffsetMs;
  }

  /** Whether everything was heard that was committed until so long ago. */
  hasHeardWithin(ms: number): boolean {
    return this.#watch !== null && performance.now() - this.#provenAt <= ms;
  }

  /** Resolves when everything was heard that has been committed; notifications come before the next answer. */
  async catchUp(): Promise<void> {
    if (!this.#watch) throw new Error('There is no session that hears');
    await this.#setClock(this.#watch);
  }

  /** Sends a notification without a session of the pool. */
  async notify(channel: string, payload: string): Promise<void> {
    await this.#watch?.query({ text: 'select pg_notify($1, $2)', values: [channel, payload] });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#watch?.end();
    await this.#kept;
  }

  async #connect(): Promise<Watch> {
    const { sessions, channels, hear } = this.#options;
    const watch = await sessions.watch(channels, hear);
    const outcome = await outcomeOf(this.#setClock(watch));
    if (outcome === 'answered') return watch;
    watch.end();
    throw new Error('The server took a connection, but does not answer');
  }

  async #keep(first: Watch): Promise<void> {
    const { sessions, onGap } = this.#options;
    let watch: Watch | null = first;
    while (!this.#stopping.signal.aborted) {
      if (watch) {
        this.#watch = watch;
        sessions.setAway(false);
        if (watch !== first) onGap();
        const outcome = await this.#pingWhileAnswered(watch);
        watch.end();
        this.#watch = null;
        if (this.#stopping.signal.aborted) return;
        if (outcome === 'silent') sessions.setAway(true);
      }
      watch = await this.#connect().catch(() => null);
      if (watch) continue;
      sessions.setAway(true);
      await this.#pause(reconnectEveryMs);
    }
    watch?.end();
  }

  async #pingWhileAnswered(watch: Watch): Promise<Outcome> {
    const ended = Promise.withResolvers<'cut'>();
    watch.onEnd(() => ended.resolve('cut'));
    while (!this.#stopping.signal.aborted) {
      const outcome = await Promise.race([ended.promise, outcomeOf(this.#setClock(watch))]);
      if (outcome !== 'answered') return outcome;
      await Promise.race([ended.promise, this.#pause(pingEveryMs)]);
    }
    return 'cut';
  }

  async #setClock(watch: Watch): Promise<void> {
    const asked = Date.now();
    const askedAt = performance.now();
    const text = 'select (extract(epoch from clock_timestamp()) * 1000)::bigint as now';
    const { rows } = await watch.query({ text });
    const answered = Date.now();
    this.#provenAt = Math.max(this.#provenAt, askedAt);
    // The server looked at its clock somewhere in between.
    this.#clockOffsetMs = Math.round((rows[0] as { now: number }).now - (asked + answered) / 2);
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stopping.signal, ref: false }).catch(() => undefined);
  }
}

function outcomeOf(ping: Promise<void>): Promise<Outcome> {
  return new Promise((resolve) => {
    const wait = (ms: number): NodeJS.Timeout => {
      const due = Date.now() + ms;
      return setTimeout(() => {
        if (Date.now() - due > lateMs) timer = wait(answerWithinMs);
        else resolve('silent');
      }, ms).unref();
    };
    let timer = wait(answerWithinMs);
    ping
      .then(
        () => resolve('answered'),
        () => resolve('cut'),
      )
      .finally(() => clearTimeout(timer));
  });
}
