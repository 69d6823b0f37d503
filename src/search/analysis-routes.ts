// /analysis/: how far the analysis of the account's pictures is, and a way to have what is missing tried again.
import { type Static, type TSchema, Type } from 'typebox';
import { nullableText } from '../accounts/account-record.ts';
import type { Account } from '../accounts/tables.ts';
import { toIsoTime } from '../accounts/units.ts';
import type { Database } from '../platform/database/database.ts';
import type { HttpApp } from '../platform/http/http-server.ts';
import { AppError } from '../platform/errors.ts';
import type { AnalysisProgress } from './analysis/analysis-progress.ts';
import { analyseWhatIsMissing } from './analysis/find-unanalysed.ts';

const AnalysisRecord = Type.Object({
  ai_analysis: Type.Boolean(),
  model: Type.String({ description: 'Provider and model of the vectors' }),
  pictures: Type.Integer({ description: 'All pictures of the account' }),
  analysed: Type.Integer({ description: 'Those that can be found by describing them' }),
  waiting: Type.Integer({ description: 'Those that are yet to be analysed' }),
  failed: Type.Integer({ description: 'Those that were given up' }),
  failures: Type.Array(Type.Object({ object_id: Type.String(), error: Type.String() }), {
    description: 'The last of them',
  }),
  ai_error: nullableText({ description: 'Why pictures are not analysed at present' }),
  paused_until: nullableText({ description: 'When the provider is asked again' }),
});

type Parts = { database: Database; progressOf: (account: Account) => Promise<AnalysisProgress> };

export function analysisRoutes(app: HttpApp, { database, progressOf }: Parts): void {
  const schema = { tags: ['Account'], response: { 200: AnalysisRecord as TSchema } };
  app.get(
    '/analysis/',
    {
      config: { scope: 'read' },
      schema: { ...schema, summary: 'How far the analysis of pictures is' },
    },
    async ({ caller: { account } }) => analysisRecord(account, await progressOf(account)),
  );
  app.post(
    '/analysis/',
    {
      config: { scope: 'account' },
      schema: { ...schema, summary: 'Have pictures without an analysis tried again' },
    },
    async ({ caller: { account } }) => {
      if (!account.ai_analysis) throw new AppError('analysis_off');
      await database.write((tx) => analyseWhatIsMissing(database, tx, account));
      return analysisRecord({ ...account, ai_error: null }, await progressOf(account));
    },
  );
}

export function analysisRecord(
  account: Account,
  { failures, pausedUntil, ...progress }: AnalysisProgress,
): Static<typeof AnalysisRecord> {
  return {
    ai_analysis: account.ai_analysis === 1,
    ...progress,
    failures: failures.map(({ objectId, error }) => ({ object_id: objectId, error })),
    ai_error: account.ai_error,
    paused_until: pausedUntil === null ? null : toIsoTime(pausedUntil),
  };
}
