// What the primary process and those that answer HTTP say to each other.
import type { Rate } from './accounts/request-rate.ts';
import type { Config } from './config.ts';
import type { MakerAnswers } from './images/variants/remote-variant-maker.ts';
import type { InspectedFilm } from './objects/new-object-row.ts';
import type { KeeperAnswers, KeptAnswers } from './platform/cluster/kept-processes.ts';
import type { TurnAnswers } from './platform/cluster/shared-turns.ts';
import type { Announcement } from './platform/database/database.ts';
import type { Snapshot } from './platform/metrics.ts';
import type { FindPictures } from './search/find-pictures.ts';
import type { SearchService } from './search/search-service.ts';

export type PrimaryAnswers = MakerAnswers &
  TurnAnswers &
  KeeperAnswers & {
    /** Decoders run in processes of the primary. */
    inspectFilm(film: { path: string; type: string }): Promise<InspectedFilm>;
    /** Vectors are scanned, and models run, by the primary. */
    findPictures: FindPictures;
    analysisProgress: SearchService['progressOf'];
    /** Those of the service's start, whatever became of the environment since. */
    settings(): Config;
    countRequest(counted: { accountId: string; perMinute: number }): Promise<Rate>;
    /** Answered when all the others have heard it. */
    announced(announcement: Announcement): Promise<void>;
    metricsText(): Promise<string>;
  };

export type HttpProcessAnswers = KeptAnswers & {
  hear(announcement: Announcement): void;
  metrics(): Promise<Snapshot>;
};
