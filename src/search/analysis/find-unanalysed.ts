// Looks through all pictures of an account and queues those without a vector of its model: when analysis is switched on,
// when the model or the provider changes, after a database was made anew, and when somebody asks for it.
import { sql } from 'kysely';
import { accountById } from '../../accounts/account-by-id.ts';
import type { Account } from '../../accounts/tables.ts';
import type { Database, Tx } from '../../platform/database/database.ts';
import { enqueue, type Job, type JobHandler } from '../../platform/jobs/jobs.ts';
import type { AiProviders } from '../providers/ai-provider.ts';
import { analyseJob } from './analysis-queue.ts';
import { endPause, noteWalked } from './pauses.ts';

const kind = 'find-unanalysed';
/** Places in an account's order, or accounts, that one transaction deals with: others write in between. */
const atATime = 1000;

type Parts = { database: Database; providers: Pick<AiProviders, 'modelOf'> };

function findUnanalysedJob(accountId: string): Job {
  return { kind, key: accountId, payload: { account_id: accountId } };
}

/** What was missing for its settings may be there now: nothing is held back any longer. */
export async function analyseWhatIsMissing(database: Database, tx: Tx, account: Account): Promise<void> {
  await endPause(database, tx, account);
  if (account.ai_analysis) await enqueue(tx, [findUnanalysedJob(account.account_id)]);
}

/** Accounts whose pictures were last looked through for another model, as after a change of the server's settings. */
export async function analyseWhatChanged({ database, providers }: Parts): Promise<void> {
  const accounts = await database.read
    .selectFrom('accounts')
    .leftJoin('analysis_states', 'analysis_states.account_id', 'accounts.account_id')
    .selectAll('accounts')
    .select('analysis_states.model as walked_for')
    .where('ai_analysis', '=', 1)
    // In one order, because several nodes may start at once.
    .orderBy('accounts.account_id')
    .execute();
  const changed = accounts.filter((account) => account.walked_for !== providers.modelOf(account));
  for (let from = 0; from < changed.length; from += atATime) {
    const jobs = changed.slice(from, from + atATime).map((account) => findUnanalysedJob(account.account_id));
    await database.write((tx) => enqueue(tx, jobs));
  }
}

export function findUnanalysedHandlers(parts: Parts): Record<string, JobHandler> {
  return {
    [kind]: {
      run: ({ account_id: accountId }: { account_id: string }, { signal }) => walk(parts, accountId, signal),
      maxAttempts: 100,
    },
  };
}

async function walk({ database, providers }: Parts, accountId: string, signal: AbortSignal): Promise<void> {
  const account = await accountById(database.read, accountId);
  if (!account?.ai_analysis) return;
  const model = providers.modelOf(account);
  // What is uploaded later queues itself.
  for (let before = account.next_seq; before > 0; before -= atATime) {
    signal.throwIfAborted();
    await database.write((tx) =>
      queueMissing(tx, { accountId, model, from: before - atATime, before, now: database.now() }),
    );
  }
  await database.write((tx) => noteWalked(tx, accountId, model));
}

type Stretch = { accountId: string; model: string; from: number; before: number; now: number };

async function queueMissing(tx: Tx, { accountId, model, from, before, now }: Stretch): Promise<void> {
  const { numAffectedRows = 0n } = await sql`
    insert into analyses (generation, account_id, run_at, attempts, dead, error)
    select o.generation, o.account_id, cast(${now} as bigint), 0, 0, null from objects o
    where o.account_id = ${accountId} and o.seq >= ${from} and o.seq < ${before} and o.kind = 'image'
      and not exists (select 1 from vectors v where v.generation = o.generation and v.model = ${model})
    on conflict (generation) do update set run_at = excluded.run_at, dead = 0,
      attempts = case when analyses.dead = 1 then 0 else analyses.attempts end`.execute(tx);
  if (numAffectedRows > 0n) await enqueue(tx, [analyseJob(accountId)]);
}
