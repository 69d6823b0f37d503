// The pictures of an account that are yet to be analysed: one row each until that is done, or given up.
import { sql } from 'kysely';
import type { Database, Tx } from '../../platform/database/database.ts';
import { runStatements, statement } from '../../platform/database/statement.ts';
import { enqueue, type Job } from '../../platform/jobs/jobs.ts';
import type { AnalysisRow } from '../tables.ts';

export const analyseKind = 'analyse-account';

/** One for each account, so that one with much to do neither delays others nor asks too much of its provider. */
export function analyseJob(accountId: string, runAt?: number): Job {
  const job = { kind: analyseKind, key: accountId, payload: { account_id: accountId } };
  return runAt === undefined ? job : { ...job, runAt };
}

/** One that waits already, or was given up, stays as it is. */
export async function queueAnalysis(
  database: Database,
  tx: Tx,
  { generation, account_id }: Pick<AnalysisRow, 'generation' | 'account_id'>,
): Promise<void> {
  await Promise.all([
    runStatements(tx, [queueOne({ generation, account_id, run_at: database.now() })]),
    enqueue(tx, [analyseJob(account_id)]),
  ]);
}

const queueOne = statement<'generation' | 'account_id' | 'run_at'>(
  (p) => sql`insert into analyses (generation, account_id, run_at, attempts, dead, error)
    select generation, cast(${p('account_id')} as text), cast(${p('run_at')} as bigint), 0, 0, null
    from objects where generation = ${p('generation')}
    on conflict (generation) do nothing`,
);

export function findDue(
  database: Database,
  accountId: string,
  options: { limit: number; except: readonly string[] },
): Promise<AnalysisRow[]> {
  let query = database.read
    .selectFrom('analyses')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('dead', '=', 0)
    .where('run_at', '<=', database.now());
  if (options.except.length > 0) query = query.where('generation', 'not in', options.except);
  return query.orderBy('run_at').limit(options.limit).execute();
}

/** When the next of them is due; null when none waits. */
export async function nextDueAt(tx: Tx, accountId: string): Promise<number | null> {
  const next = await tx
    .selectFrom('analyses')
    .select('run_at')
    .where('account_id', '=', accountId)
    .where('dead', '=', 0)
    .orderBy('run_at')
    .limit(1)
    .executeTakeFirst();
  return next?.run_at ?? null;
}

export type Failure = { attempts: number; retryAt: number; dead: boolean; error: string };

export async function noteFailure(database: Database, row: AnalysisRow, failure: Failure): Promise<void> {
  const { attempts, retryAt, dead, error } = failure;
  await database.write((tx) =>
    tx
      .updateTable('analyses')
      .set({ attempts, run_at: retryAt, dead: dead ? 1 : 0, error })
      .where('generation', '=', row.generation)
      .execute(),
  );
}
