// Transactions on a server that runs many at once. One that lost to another, through a deadlock or a row changed under
// it, or whose session broke before the commit was asked for, is run again as a whole; so nothing but database work may
// happen in one.
import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely } from 'kysely';
import { failpoint } from '../../failpoints.ts';
import type { Tables, Tx } from '../database.ts';
import { postgresDialect } from './dialect.ts';
import { isBrokenLine, isCutLine, isLostToAnother, toAppError } from './failures.ts';
import { GroupedBatches } from './grouped-batches.ts';
import type { NewRows } from './new-rows.ts';
import { causeOf, CutShort, Refusal, Uncertain } from './transaction-ends.ts';
import type { PooledSession, PostgresQuery, PostgresResult, Sessions } from './sessions.ts';

const maxAttempts = 8;
const backOffMs = 10;

export type AfterCommit = () => Promise<void> | void;
export type BatchQuery = PostgresQuery & { readonly orElse?: (() => Error) | undefined };

type Transaction = {
  session: PooledSession;
  running: number;
  isOpen: boolean;
  afterCommit: AfterCommit[];
  tables: Set<string>;
};

export class Transactions {
  readonly #sessions: Sessions;
  readonly #newRows: NewRows;
  readonly #current = new WeakMap<object, Transaction>();
  readonly #batches = new GroupedBatches({
    once: (queries) => this.#once((transaction) => this.#runBatch(transaction, queries)),
    untilItHolds: (queries) => this.#untilItHolds((transaction) => this.#runBatch(transaction, queries)),
  });

  constructor(sessions: Sessions, newRows: NewRows) {
    this.#sessions = sessions;
    this.#newRows = newRows;
  }

  write<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#untilItHolds(async (transaction) => {
      const tx = this.#handleOf(transaction);
      const value = await work(tx);
      await nothingLeftToRun();
      if (transaction.running > 0)
        throw new Error('A transaction ended while its statements were still running');
      return value;
    });
  }

  writeBatch(queries: readonly BatchQuery[]): Promise<void> {
    return this.#batches.write(queries);
  }

  /** Runs once the transaction is committed, before whoever waits for it goes on. Must not fail. */
  afterCommit(tx: Tx, action: AfterCommit): void {
    const transaction = this.#current.get(tx);
    if (!transaction) throw new Error('There is no transaction to follow');
    transaction.afterCommit.push(action);
  }

  /** All of it is sent at once; what each statement did is looked at before the commit. */
  async #runBatch(transaction: Transaction, queries: readonly BatchQuery[]): Promise<void> {
    const outcomes = await Promise.allSettled(queries.map((query) => this.#run(transaction, query)));
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome.status === 'rejected') throw outcome.reason;
      const orElse = queries[index]?.orElse;
      if (orElse && outcome.value.changes === 0) throw new Refusal(orElse());
    }
  }

  async #untilItHolds<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#once(work);
      } catch (error) {
        if (error instanceof Refusal) throw error.reason;
        const canHoldYet = isLostToAnother(error) || error instanceof CutShort;
        if (!canHoldYet || attempt === maxAttempts) throw toAppError(causeOf(error));
        await sleep(Math.random() * backOffMs * 2 ** attempt);
      }
    }
  }

  async #once<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const session = await this.#sessions.acquire();
    const transaction: Transaction = {
      session,
      running: 0,
      isOpen: true,
      afterCommit: [],
      tables: new Set(),
    };
    let value: T;
    try {
      const begun = session.query({ text: 'begin' });
      begun.catch(() => undefined);
      value = await work(transaction);
      await begun;
      transaction.isOpen = false;
      failpoint('database:before-commit');
      const { command } = await session.query({ text: 'commit' });
      // After a statement that failed the server only pretends to go on, also when whoever ran it took no notice.
      if (command === 'ROLLBACK') throw new Error('A statement of the transaction had failed');
    } catch (error) {
      const isAsked = !transaction.isOpen;
      transaction.isOpen = false;
      await rollBack(session, error);
      if (!isCutLine(error)) throw error;
      throw isAsked ? new Uncertain(error) : new CutShort(error);
    }
    session.release();
    failpoint('database:committed');
    this.#newRows.committed(transaction.tables);
    await Promise.all(transaction.afterCommit.map(async (action) => action()));
    return value;
  }

  /** One of its own for each, so that what outlives its transaction cannot slip into the next. */
  #handleOf(transaction: Transaction): Tx {
    const tx = new Kysely<Tables>({
      dialect: postgresDialect((text, values) => this.#run(transaction, { text, values })),
    });
    this.#current.set(tx, transaction);
    return tx;
  }

  async #run(transaction: Transaction, { text, values }: PostgresQuery): Promise<PostgresResult> {
    if (!transaction.isOpen) throw new Error('A statement ran outside its transaction');
    this.#newRows.note(text, transaction.tables);
    transaction.running += 1;
    try {
      return await transaction.session.query({ text, values: values ?? [] });
    } finally {
      transaction.running -= 1;
    }
  }
}

async function rollBack(session: PooledSession, cause: unknown): Promise<void> {
  if (isBrokenLine(cause)) return session.release({ broken: true });
  try {
    await session.query({ text: 'rollback' });
    session.release();
  } catch {
    session.release({ broken: true });
  }
}

/** Next tick comes when no promise is left to run: what has begun a statement has sent it by then. */
function nothingLeftToRun(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
