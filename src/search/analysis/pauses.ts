// When nothing is to be asked of an account's provider for a while: it refused the key, has too much to do, or does not
// answer. The owner is told why in the account's record; the next success, or a change of settings, ends it.
import { accountChanged } from '../../accounts/account-changed.ts';
import { analysesAlike } from '../../accounts/analysis-settings.ts';
import type { Account } from '../../accounts/tables.ts';
import type { Database, Tx } from '../../platform/database/database.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import type { ProviderFault } from '../providers/ai-provider.ts';
import type { AnalysisStateTable, PauseReason } from '../tables.ts';
import { analyseJob } from './analysis-queue.ts';
import { holdAccount } from './hold-account.ts';

const minute = 60_000;
/** The first pause and the longest, by why; each is twice the one before. */
const lengths = {
  settings: { first: 15 * minute, most: 360 * minute },
  busy: { first: minute / 3, most: 10 * minute },
  unavailable: { first: minute / 2, most: 10 * minute },
} as const satisfies Record<PauseReason, object>;
/** What passes sooner is not worth telling. */
const tellFromMs = minute;

type Fault = Pick<ProviderFault, 'message' | 'retryAfterMs'>;
type Paused = { account_id: string; bucket_id: string };

export type AnalysisState = { model: string | null; pausedUntil: number; pauses: number };

export async function findState(source: Tx | Database['read'], accountId: string): Promise<AnalysisState> {
  const row = await source
    .selectFrom('analysis_states')
    .selectAll()
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return { model: row?.model ?? null, pausedUntil: row?.paused_until ?? 0, pauses: row?.pauses ?? 0 };
}

/** Once for all that fail together, unless the provider asks for more time. */
export async function pauseAnalysis(
  database: Database,
  account: Account,
  reason: PauseReason,
  { message, retryAfterMs }: Fault,
): Promise<void> {
  const { account_id: accountId } = account;
  await database.write(async (tx) => {
    const now = database.now();
    const current = await holdAccount(tx, accountId);
    const { pauses, pausedUntil } = await findState(tx, accountId);
    const isPaused = pausedUntil > now;
    if (isPaused && (retryAfterMs === null || now + retryAfterMs <= pausedUntil)) return;
    // What comes back says nothing about settings that were changed meanwhile.
    if (!current || !analysesAlike(account, current)) return;
    const { first, most } = lengths[reason];
    const ms = Math.ceil(retryAfterMs ?? Math.min(most, first * 2 ** Math.min(pauses, 20)));
    // One that the provider asked for is no sign that it will be long.
    const isCounted = !isPaused && retryAfterMs === null;
    const inARow = pauses + (isCounted ? 1 : 0);
    await keepState(tx, accountId, { paused_until: now + ms, pauses: inARow, pause_reason: reason });
    if (ms >= tellFromMs) await tell(database, tx, account, message);
  });
}

/** In the transaction of a success. One that was begun before a pause does not end it. */
export async function noteSuccess(
  database: Database,
  tx: Tx,
  account: Paused & { ai_error: string | null },
): Promise<void> {
  const { pauses, pausedUntil } = await findState(tx, account.account_id);
  if (pausedUntil > database.now() || (pauses === 0 && account.ai_error === null)) return;
  await endPause(database, tx, account);
}

/** In the transaction that may have mended what was wrong. */
export async function endPause(database: Database, tx: Tx, account: Paused): Promise<void> {
  const { pauses, pausedUntil } = await findState(tx, account.account_id);
  if (pauses > 0 || pausedUntil > 0)
    await keepState(tx, account.account_id, { paused_until: 0, pauses: 0, pause_reason: null });
  await tell(database, tx, account, null);
}

export async function noteWalked(tx: Tx, accountId: string, model: string): Promise<void> {
  await tx
    .insertInto('analysis_states')
    .values({ account_id: accountId, model, paused_until: 0, pauses: 0, pause_reason: null })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet({ model }))
    .execute();
}

type PauseColumns = Pick<AnalysisStateTable, 'paused_until' | 'pauses' | 'pause_reason'>;

async function keepState(tx: Tx, accountId: string, columns: PauseColumns): Promise<void> {
  await tx
    .insertInto('analysis_states')
    .values({ account_id: accountId, model: null, ...columns })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet(columns))
    .execute();
}

/** At a start: the operator may have mended the settings. What is still wrong pauses again at the first picture. */
export async function tryMendedSettings(database: Database): Promise<void> {
  await database.write(async (tx) => {
    const held = await tx
      .updateTable('analysis_states')
      .set({ paused_until: 0 })
      .where('pause_reason', '=', 'settings')
      .where('paused_until', '>', 0)
      .returning('account_id')
      .execute();
    await enqueue(
      tx,
      held.map(({ account_id: accountId }) => analyseJob(accountId)),
    );
  });
}

async function tell(database: Database, tx: Tx, account: Paused, error: string | null): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('accounts')
    .set({ ai_error: error })
    .where('account_id', '=', account.account_id)
    .where('ai_error', 'is distinct from', error)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) await accountChanged(database, tx, account.bucket_id);
}
