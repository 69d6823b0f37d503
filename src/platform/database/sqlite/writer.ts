// Transactions of this process, one after another in the writer thread, many of them sharing one commit: each is a
// savepoint, and all are answered when the commit that holds them is on disk (group commit). Statements that need not
// wait for each other's answers go to the thread in one message, because waking it costs more than most of them.
import { Worker } from 'node:worker_threads';
import { Kysely } from 'kysely';
import { AppError } from '../../errors.ts';
import { failpoint } from '../../failpoints.ts';
import type { Tables, Tx } from '../database.ts';
import { sqliteDialect } from './dialect.ts';
import type { SqlResult, SqlValue } from './connection.ts';
import { Refusal, SqliteFailure, toAppError } from './writer-faults.ts';
import type { BatchStatement, WriterReply, WriterRequest, WriterStatement } from './writer-thread.ts';

const maxGroupSize = 128;
const maxGroupMs = 10;

type Waiting = { resolve(result: SqlResult): void; reject(error: Error): void };
type Settled = { resolve: (value: never) => void; reject: (error: unknown) => void };
type AfterCommit = () => Promise<void> | void;
type Transaction = Settled & { work(tx: Tx): Promise<unknown>; afterCommit: AfterCommit[] };
type BatchQuery = WriterStatement & { orElse?: (() => Error) | undefined };
type Batch = Settled & { queries: readonly BatchQuery[] };
/** What the group's commit decides about. */
type Awaiting = Settled & { value: Promise<unknown>; afterCommit?: AfterCommit[] };

export class SqliteWriter {
  readonly #thread: Worker;
  readonly #takeTurn: (() => Promise<() => void>) | undefined;
  readonly #waiting = new Map<number, Waiting>();
  readonly #queue: (Transaction | Batch)[] = [];
  readonly #stopped: Promise<void>;
  /** Of the texts of batches. */
  readonly #numbers = new Map<string, number>();
  #outbox: WriterRequest[] = [];
  #nextId = 1;
  #running = false;
  #current: Transaction | null = null;
  #gone: Error | null = null;

  /**
   * `takeTurn` is for processes that write to one file all the time: SQLite lets whoever waits look only now and then
   * whether the file is free, so that one may wait for ever while others come and go.
   */
  constructor(file: string, takeTurn?: () => Promise<() => void>) {
    this.#takeTurn = takeTurn;
    this.#thread = new Worker(new URL('./writer-thread.ts', import.meta.url), {
      workerData: { file },
    });
    this.#thread.unref();
    this.#thread.on('message', (replies: WriterReply[] | object) => {
      // Under --watch, Node tells on the same port which files the thread has loaded.
      if (!Array.isArray(replies)) return;
      for (const reply of replies as WriterReply[]) this.#settle(reply);
    });
    this.#thread.on('error', (error) => this.#fail(error));
    this.#stopped = new Promise((resolve) => {
      this.#thread.on('exit', () => {
        this.#fail(new Error('The database writer has stopped'));
        resolve();
      });
    });
  }

  write<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    if (this.#gone) return Promise.reject(this.#gone);
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ work, resolve: resolve as (value: never) => void, reject, afterCommit: [] });
      if (!this.#running) void this.#drain();
    });
  }

  /** Its texts must be few, since the thread remembers each of them: templates, not queries built for the occasion. */
  writeBatch(queries: readonly BatchQuery[]): Promise<void> {
    if (this.#gone) return Promise.reject(this.#gone);
    return new Promise<void>((resolve, reject) => {
      this.#queue.push({
        queries,
        resolve: resolve as (value: never) => void,
        reject,
      });
      if (!this.#running) void this.#drain();
    });
  }

  assertAlive(): void {
    if (this.#gone) throw this.#gone;
  }

  /** Called inside a transaction; runs only once that is on disk, before whoever waits for it goes on. Must not fail. */
  afterCommit(action: AfterCommit): void {
    if (!this.#current) throw new Error('There is no transaction to follow');
    this.#current.afterCommit.push(action);
  }

  async close(): Promise<void> {
    while (this.#running) await new Promise((resolve) => setTimeout(resolve, 5));
    this.#gone ??= new Error('The database is closed');
    this.#thread.ref();
    this.#thread.postMessage('close');
    await this.#stopped;
  }

  async #drain(): Promise<void> {
    this.#running = true;
    this.#thread.ref();
    while (this.#queue.length > 0) {
      // Without a turn it is only less fair.
      const endTurn = this.#takeTurn && (await this.#takeTurn().catch(() => undefined));
      try {
        // Nobody may be left to write for when the thread failed meanwhile.
        if (this.#queue.length > 0) await this.#commitGroup();
      } finally {
        endTurn?.();
      }
    }
    this.#running = false;
    this.#thread.unref();
  }

  async #commitGroup(): Promise<void> {
    const group: Awaiting[] = [];
    const startedAt = performance.now();
    const begun = this.#send('BEGIN IMMEDIATE');
    begun.catch(() => undefined);
    try {
      do {
        const next = this.#queue.shift() as Transaction | Batch;
        if ('queries' in next) {
          const value = this.#runBatch(next);
          value.catch(() => undefined);
          group.push({ ...next, value });
        } else {
          const outcome = await this.#runOne(next, begun);
          if (outcome) group.push({ ...next, value: Promise.resolve(outcome.value) });
        }
      } while (
        this.#queue.length > 0 &&
        group.length < maxGroupSize &&
        performance.now() - startedAt < maxGroupMs
      );
      failpoint('database:before-commit');
      await this.#send('COMMIT');
      failpoint('database:committed');
    } catch (error) {
      await this.#send('ROLLBACK').catch(() => undefined);
      await rejectGroup(
        group,
        await begun.then(
          () => error,
          (first: unknown) => first,
        ),
      );
      return;
    }
    for (const { afterCommit, value, resolve, reject } of group) {
      const told = afterCommit?.map(async (action) => action()) ?? [];
      const settled = told.length === 0 ? value : Promise.all(told).then(() => value);
      settled.then(resolve as (value: unknown) => void, reject);
    }
  }

  /** Not waited for by what follows: when it fails, the thread has undone it before going on. */
  async #runBatch({ queries }: Batch): Promise<void> {
    try {
      await this.#request({ batch: queries.map((query) => this.#numbered(query)) });
    } catch (error) {
      const refusal = error instanceof Refusal ? queries[error.by]?.orElse?.() : undefined;
      throw refusal ?? toAppError(error);
    }
  }

  #numbered({ sql, parameters, orElse }: BatchQuery): BatchStatement {
    const mustChange = orElse !== undefined;
    const known = this.#numbers.get(sql);
    if (known !== undefined) return [known, null, mustChange, parameters];
    const number = this.#numbers.size;
    this.#numbers.set(sql, number);
    return [number, sql, mustChange, parameters];
  }

  /** Null when the transaction failed and was told so; throws when the whole group is lost. */
  async #runOne(transaction: Transaction, begun: Promise<unknown>): Promise<{ value: unknown } | null> {
    this.#current = transaction;
    const sent = this.#nextId;
    const savepoint = this.#send('SAVEPOINT tx');
    savepoint.catch(() => undefined);
    try {
      const value = await transaction.work(this.#handleOf(transaction));
      await nothingLeftToRun();
      for (let id = sent + 1; id < this.#nextId; id++) {
        if (this.#waiting.has(id))
          throw new Error('A transaction ended while its statements were still running');
      }
      await begun;
      await savepoint;
      this.#current = null;
      // Not waited for: it fails only when the whole transaction is gone, and then so does all that follows it.
      this.#send('RELEASE tx').catch(() => undefined);
      return { value };
    } catch (error) {
      this.#current = null;
      // When there was no beginning, every statement failed for it; its own error says why.
      const cause = await begun.then(
        () => error,
        (first: unknown) => first,
      );
      transaction.reject(toAppError(cause));
      if (cause instanceof SqliteFailure && cause.transactionLost) throw cause;
      await this.#send('ROLLBACK TO tx');
      await this.#send('RELEASE tx');
      return null;
    }
  }

  /** One of its own for each, so that what outlives its transaction cannot slip into the next. */
  #handleOf(transaction: Transaction): Tx {
    return new Kysely<Tables>({
      dialect: sqliteDialect((sql, parameters) => {
        if (this.#current !== transaction) throw new Error('A statement ran outside its transaction');
        return this.#send(sql, parameters);
      }),
    });
  }

  #send(sql: string, parameters: readonly SqlValue[] = []): Promise<SqlResult> {
    return this.#request({ sql, parameters });
  }

  #request(what: WriterStatement | { batch: readonly BatchStatement[] }): Promise<SqlResult> {
    if (this.#gone) return Promise.reject(this.#gone);
    const id = this.#nextId++;
    return new Promise<SqlResult>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      // Next tick comes when no promise is left to run: by then everybody who need not wait has sent.
      if (this.#outbox.push({ id, ...what }) === 1) process.nextTick(() => this.#post());
    });
  }

  #post(): void {
    const requests = this.#outbox;
    this.#outbox = [];
    this.#thread.postMessage(requests);
  }

  #settle(reply: WriterReply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (!waiting) return;
    if ('error' in reply) {
      waiting.reject(new SqliteFailure(reply.error.message, reply.error.code, !reply.inTransaction));
    } else if ('refusedBy' in reply) waiting.reject(new Refusal(reply.refusedBy));
    else waiting.resolve(reply);
  }

  #fail(error: Error): void {
    this.#gone ??= error;
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
    for (const transaction of this.#queue.splice(0)) transaction.reject(error);
  }
}

/** Next tick comes when no promise is left to run: what has begun a statement has sent it by then. */
function nothingLeftToRun(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}

/** Who was refused for a reason of its own hears that; all others hear what undid the whole group. */
async function rejectGroup(group: readonly Awaiting[], error: unknown): Promise<void> {
  const outcomes = await Promise.allSettled(group.map(({ value }) => value));
  const reasons = outcomes.map((outcome) =>
    outcome.status === 'rejected' ? (outcome.reason as unknown) : undefined,
  );
  const isOwn = (reason: unknown): boolean => reason !== undefined && !(reason instanceof SqliteFailure);
  const cause =
    reasons.find((reason) => reason instanceof AppError && reason.status >= 500) ?? toAppError(error);
  for (const [index, { reject }] of group.entries()) reject(isOwn(reasons[index]) ? reasons[index] : cause);
}
