// The job of one account: analyses its pictures that are due, as many at once as its provider bears and no more in a
// minute than the operator allows, for a while; then others have their turn.
import { accountById } from '../../accounts/account-by-id.ts';
import { analysesAlike } from '../../accounts/analysis-settings.ts';
import type { Account } from '../../accounts/tables.ts';
import { AppError } from '../../platform/errors.ts';
import { enqueue, type JobHandler } from '../../platform/jobs/jobs.ts';
import type { Log } from '../../platform/log.ts';
import { type AiProvider, ProviderFault } from '../providers/ai-provider.ts';
import type { AnalysisRow, PauseReason } from '../tables.ts';
import { AdaptiveLimit } from './adaptive-limit.ts';
import { analyseJob, analyseKind, findDue, nextDueAt, noteFailure } from './analysis-queue.ts';
import { analysePicture, type AnalysePictureParts } from './analyse-picture.ts';
import { judgeFailure } from './judge-failure.ts';
import { nextRoomAt, takeFromMinute } from './minute-rate.ts';
import { findState, pauseAnalysis } from './pauses.ts';

/** After this an account goes to the end of the queue, so that one with much to do leaves room for others. */
const sliceMs = 30_000;
/** So many failures in a row, and it is not the pictures. */
const patience = 6;
/** What fails after so long may have waited behind others of ours. */
const slowMs = 30_000;
/** A look whether an account was enabled again. */
const lookWhileDisabledMs = 60_000;
/** A look at what else is due while others are still under way. */
const lookEveryMs = 250;

export type AnalyseAccountParts = AnalysePictureParts & { perMinute: number; log: Log };

export function analyseAccountHandlers(parts: AnalyseAccountParts): Record<string, JobHandler> {
  const limits = new Map<string, AdaptiveLimit>();
  return {
    [analyseKind]: {
      async run({ account_id: accountId }: { account_id: string }, { signal }) {
        const limit = limits.get(accountId) ?? new AdaptiveLimit();
        limits.set(accountId, limit);
        const isDone = await new AccountSlice(parts, { accountId, limit, signal }).run();
        if (isDone) limits.delete(accountId);
      },
      // Only our own faults end up here, and while they last nothing may be given up.
      maxAttempts: Number.MAX_SAFE_INTEGER,
    },
  };
}

type SliceOptions = { accountId: string; limit: AdaptiveLimit; signal: AbortSignal };

class AccountSlice {
  readonly #parts: AnalyseAccountParts;
  readonly #options: SliceOptions;
  readonly #underWay = new Map<string, Promise<void>>();
  readonly #outdated = new AbortController();
  #isPaused = false;
  #maxFailuresInARow = patience;
  #failuresInARow = 0;

  constructor(parts: AnalyseAccountParts, options: SliceOptions) {
    this.#parts = parts;
    this.#options = options;
  }

  /** True when nothing is left to do. */
  async run(): Promise<boolean> {
    const account = await accountById(this.#parts.database.read, this.#options.accountId);
    // Whoever switches it on or sets a key asks for us again; who enables an account does not.
    if (!account?.ai_analysis) return true;
    if (!account.enabled) return this.#comeBack(this.#parts.database.now() + lookWhileDisabledMs);
    const { pausedUntil, pauses } = await findState(this.#parts.database.read, account.account_id);
    if (pauses > 1) this.#tryCarefully();
    if (pausedUntil <= this.#parts.database.now() && !(await this.#workWithProvider(account))) return true;
    this.#options.signal.throwIfAborted();
    return this.#comeBack();
  }

  /** After several pauses in a row one picture shows whether all is well: in a long outage none uses up its attempts. */
  #tryCarefully(): void {
    this.#options.limit.startAnew();
    this.#maxFailuresInARow = 1;
  }

  async #workWithProvider(account: Account): Promise<boolean> {
    try {
      const provider = this.#parts.providers.of(account);
      if (provider) await this.#work(account, provider);
      return provider !== null;
    } catch (error) {
      if (!(error instanceof ProviderFault)) throw error;
      await this.#pause(account, 'settings', { error: error.message, pauseMs: null });
      return true;
    }
  }

  async #work(account: Account, provider: AiProvider): Promise<void> {
    const endsAt = performance.now() + sliceMs;
    for (;;) {
      // A call may take minutes: whoever mends the settings need not wait for it.
      if (!(await this.#isStillWanted(account))) this.#outdated.abort();
      const begun = this.#mayBegin(endsAt) ? await this.#begin(account, provider) : 0;
      if (this.#underWay.size === 0) return;
      // Whoever ends makes room; what falls due meanwhile, or comes in, need not wait for that.
      await Promise.race([...this.#underWay.values(), pause(begun > 0 ? 0 : lookEveryMs)]);
    }
  }

  #mayBegin(endsAt: number): boolean {
    const isBrokenOff = this.#options.signal.aborted || this.#outdated.signal.aborted;
    return !isBrokenOff && !this.#isPaused && performance.now() < endsAt;
  }

  async #begin(account: Account, provider: AiProvider): Promise<number> {
    const { accountId, limit } = this.#options;
    const { database, perMinute } = this.#parts;
    const room = limit.current - this.#underWay.size;
    if (room <= 0) return 0;
    const due = await findDue(database, accountId, { limit: room, except: [...this.#underWay.keys()] });
    if (due.length === 0) return 0;
    const count = await takeFromMinute(database, accountId, { wanted: due.length, perMinute });
    for (const row of due.slice(0, count)) {
      const done = this.#analyse(account, provider, row).finally(() => this.#underWay.delete(row.generation));
      this.#underWay.set(row.generation, done);
    }
    return count;
  }

  async #analyse(account: Account, provider: AiProvider, row: AnalysisRow): Promise<void> {
    const { limit } = this.#options;
    const signal = AbortSignal.any([this.#options.signal, this.#outdated.signal]);
    const begunAt = performance.now();
    try {
      await analysePicture(this.#parts, provider, row.generation, signal);
      limit.succeeded();
      this.#failuresInARow = 0;
      this.#maxFailuresInARow = patience;
    } catch (error) {
      // What was broken off is no failure of the picture: it waits as before.
      if (signal.aborted) return;
      await this.#failed(account, row, error as Error, begunAt);
    }
  }

  async #failed(account: Account, row: AnalysisRow, error: Error, begunAt: number): Promise<void> {
    const { database, log } = this.#parts;
    const isGone = error instanceof AppError && error.code === 'object_not_found';
    if (isGone || !(await this.#isStillWanted(account))) return;
    const judged = judgeFailure(error, row.attempts);
    log[judged.dead ? 'warn' : 'debug'](
      { err: error, generation: row.generation, attempts: row.attempts, dead: judged.dead },
      'a picture could not be analysed',
    );
    const tookLong = judged.isOfProvider && performance.now() - begunAt > slowMs;
    if (judged.pause === 'busy' || tookLong) this.#options.limit.tooMany(begunAt);
    if (judged.isOfProvider) this.#failuresInARow += 1;
    if (judged.pause) return this.#pause(account, judged.pause, judged);
    await noteFailure(database, row, { ...judged, retryAt: database.now() + judged.retryAfterMs });
    if (this.#failuresInARow >= this.#maxFailuresInARow)
      await this.#pause(account, 'unavailable', { error: judged.error, pauseMs: null });
  }

  /** What is under way may end as it will, since it is paid for. */
  async #pause(
    account: Account,
    reason: PauseReason,
    { error, pauseMs }: { error: string; pauseMs: number | null },
  ): Promise<void> {
    if (!this.#isPaused)
      this.#parts.log.warn({ reason, error, accountId: account.account_id }, 'analysis paused');
    this.#isPaused = true;
    await pauseAnalysis(this.#parts.database, account, reason, { message: error, retryAfterMs: pauseMs });
  }

  /** In a transaction, so that what is queued at this moment is either seen here or asks for us itself. */
  #comeBack(notBefore = 0): Promise<boolean> {
    const { accountId } = this.#options;
    const { database, perMinute } = this.#parts;
    return database.write(async (tx) => {
      const dueAt = await nextDueAt(tx, accountId);
      if (dueAt === null) return true;
      const { pausedUntil } = await findState(tx, accountId);
      const roomAt = await nextRoomAt(tx, accountId, { perMinute, now: database.now() });
      const runAt = Math.max(dueAt, pausedUntil, roomAt, notBefore);
      await enqueue(tx, [analyseJob(accountId, runAt)]);
      return false;
    });
  }

  async #isStillWanted(account: Account): Promise<boolean> {
    const now = await accountById(this.#parts.database.read, account.account_id);
    return now?.enabled === 1 && analysesAlike(account, now);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
