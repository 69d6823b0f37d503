// How far the analysis of an account's pictures is, and what went wrong with those that were given up.
import type { Account } from '../../accounts/tables.ts';
import { typeFacet } from '../../objects/facets.ts';
import type { Database } from '../../platform/database/database.ts';
import type { PictureIndex } from '../index/picture-index.ts';
import type { AiProviders } from '../providers/ai-provider.ts';
import { findState } from './pauses.ts';

const mostFailuresTold = 20;

export type AnalysisProgress = {
  model: string;
  pictures: number;
  /** Those that can be found by describing them. */
  analysed: number;
  waiting: number;
  failed: number;
  failures: { objectId: string; error: string }[];
  /** When the provider is asked again; null while nothing is wrong. */
  pausedUntil: number | null;
};

export type ProgressParts = {
  database: Database;
  index: Pick<PictureIndex, 'count'>;
  providers: Pick<AiProviders, 'modelOf'>;
};

export async function findProgress(
  { database, index, providers }: ProgressParts,
  account: Account,
): Promise<AnalysisProgress> {
  const { account_id: accountId } = account;
  const model = providers.modelOf(account);
  const [pictures, analysed, waiting, failed, failures, state] = await Promise.all([
    countPictures(database, accountId),
    index.count(accountId, model),
    countAnalyses(database, accountId, 0),
    countAnalyses(database, accountId, 1),
    findFailures(database, accountId),
    findState(database.read, accountId),
  ]);
  const pausedUntil = state.pausedUntil > database.now() ? state.pausedUntil : null;
  return { model, pictures, analysed, waiting, failed, failures, pausedUntil };
}

async function countPictures(database: Database, accountId: string): Promise<number> {
  const row = await database.read
    .selectFrom('facets')
    .select('count')
    .where('account_id', '=', accountId)
    .where('facet', '=', typeFacet('image'))
    .executeTakeFirst();
  return row?.count ?? 0;
}

async function countAnalyses(database: Database, accountId: string, dead: 0 | 1): Promise<number> {
  const { count } = await database.read
    .selectFrom('analyses')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .where('dead', '=', dead)
    .executeTakeFirstOrThrow();
  return count;
}

async function findFailures(
  database: Database,
  accountId: string,
): Promise<{ objectId: string; error: string }[]> {
  const rows = await database.read
    .selectFrom('analyses')
    .innerJoin('objects', 'objects.generation', 'analyses.generation')
    .select(['objects.object_id', 'analyses.error'])
    .where('analyses.account_id', '=', accountId)
    .where('analyses.dead', '=', 1)
    .orderBy('analyses.run_at', 'desc')
    .limit(mostFailuresTold)
    .execute();
  return rows.map(({ object_id: objectId, error }) => ({ objectId, error: error ?? '' }));
}
