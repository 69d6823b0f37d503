// Search as a service has it once: the index, the providers, what answers questions and what analyses pictures behind them.
import type { Account } from '../accounts/tables.ts';
import type { PublicUrls } from '../objects/object-json.ts';
import type { ObjectRow } from '../objects/tables.ts';
import type { Database } from '../platform/database/database.ts';
import { JobRunner } from '../platform/jobs/job-runner.ts';
import type { Log } from '../platform/log.ts';
import { analyseAccountHandlers } from './analysis/analyse-account.ts';
import type { SmallCopy } from './analysis/analyse-picture.ts';
import { type AnalysisProgress, findProgress } from './analysis/analysis-progress.ts';
import { analyseWhatChanged, findUnanalysedHandlers } from './analysis/find-unanalysed.ts';
import { followPicture } from './analysis/follow-picture.ts';
import { tryMendedSettings } from './analysis/pauses.ts';
import { createFindPictures, type FindPictures } from './find-pictures.ts';
import type { PictureIndex } from './index/picture-index.ts';
import type { AiProviders } from './providers/ai-provider.ts';

/** Each has as many calls under way as its provider bears. */
const accountsAtOnce = 32;

export type SearchServiceOptions = {
  database: Database;
  urls: PublicUrls;
  index: PictureIndex;
  providers: AiProviders;
  perMinute: number;
  smallCopyOf(object: ObjectRow): Promise<SmallCopy>;
  log: Log;
};

export type SearchService = {
  find: FindPictures;
  progressOf: (account: Account) => Promise<AnalysisProgress>;
  /** After every change of a picture's record. */
  follow(object: ObjectRow): Promise<void>;
  start(): void;
  stop(): Promise<void>;
};

export function createSearchService(options: SearchServiceOptions): SearchService {
  const { database, index, log } = options;
  const jobs = new JobRunner({
    database,
    log,
    handlers: analyseAccountHandlers(options),
    concurrency: accountsAtOnce,
  });
  // Quick ones must not wait behind those that take long.
  const walks = new JobRunner({ database, log, handlers: findUnanalysedHandlers(options), concurrency: 2 });
  return {
    find: createFindPictures(options),
    progressOf: (account) => findProgress(options, account),
    follow: (object) => followPicture(options, object),
    start() {
      jobs.start();
      walks.start();
      void Promise.all([analyseWhatChanged(options), tryMendedSettings(database)]).catch((error: unknown) =>
        log.warn({ err: error }, 'could not look for pictures that are to be analysed'),
      );
    },
    async stop() {
      // What is under way is asked again after the next start.
      await Promise.all([jobs.stop(0), walks.stop(0)]);
      await index.close();
    },
  };
}
