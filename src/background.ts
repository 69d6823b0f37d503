// What a service has one of, however many processes answer its requests: the makers of variants, the operator's account,
// background jobs, the janitor, and the gauges of all that.
import { ensureOperatorAccount } from './accounts/accounts.ts';
import { storageWarningHandlers } from './accounts/storage-warning.ts';
import type { Config } from './config.ts';
import { type Core, deliveryParts } from './core.ts';
import { createEventService, type EventService } from './events/event-service.ts';
import { forgetElsewhere } from './forget-elsewhere.ts';
import type { ImageService } from './images/image-service.ts';
import { originalImageOf } from './images/variants/original-image.ts';
import { prepareHandlers, queuePreparation } from './images/variants/prepare-image.ts';
import { purgeHandler } from './objects/change-object.ts';
import { eraseAccountHandler } from './objects/erase-account.ts';
import { Janitor, janitorHandlers } from './objects/janitor.ts';
import { manifestHandlers } from './objects/manifests.ts';
import { purgeCachesHandlers } from './objects/purge-caches.ts';
import { guardedFetch } from './platform/egress/guarded-fetch.ts';
import { createSendMail } from './platform/egress/send-mail.ts';
import { JobRunner } from './platform/jobs/job-runner.ts';
import type { Log } from './platform/log.ts';
import type { Metrics } from './platform/metrics.ts';
import { openFilmService } from './open-film-service.ts';
import { openImageService } from './open-image-service.ts';
import { openSearchService } from './open-search-service.ts';
import type { SearchService } from './search/search-service.ts';
import { openVideoProviders, type VideoProviders } from './video-providers.ts';
import { forgetFilmHandlers } from './videos/forget-film.ts';
import type { FilmService } from './videos/film-service.ts';
import { processFilmHandlers } from './videos/process-film.ts';
import { tidyFilmHandlers } from './videos/tidy-film.ts';

const jobGraceMs = 4_000;
/** Most of them wait for a worker, or for a provider elsewhere. */
const filmsAtOnce = 8;
const providerCalls = { audience: 'operator', deadlineMs: 30_000, maxBytes: 4 * 1024 * 1024 } as const;

export type Background = {
  images: ImageService;
  inspectFilm: FilmService['inspect'];
  search: Pick<SearchService, 'find' | 'progressOf'>;
  /** The operator's key, when this start has made it. */
  newOperatorKey: string | undefined;
  start(options: { runJobs: boolean }): void;
  stop(): Promise<void>;
};

export async function createBackground(
  config: Config,
  core: Core,
  { log, metrics }: { log: Log; metrics: Metrics },
): Promise<Background> {
  const films = openFilmService(config, log);
  const images = openImageService(config, core, { films, log });
  const search = openSearchService(config, core, { images, log });
  const operator = await ensureOperatorAccount(core.database, { bootstrapKey: config.BOOTSTRAP_API_KEY });
  const events = createEventService({ ...deliveryParts(config, core), log });
  observe(metrics, core, images);
  observeFilms(metrics, films);
  observeEvents(metrics, events);
  observeAnalyses(metrics, core);
  const providers = openVideoProviders(config, films.local, guardedFetch(providerCalls));
  const handlers = jobHandlers(config, core, { images, providers, search, log });
  const jobs = new JobRunner({ database: core.database, log, handlers });
  const filmJobs = new JobRunner({
    database: core.database,
    log,
    handlers: filmJobHandlers(core, providers, log),
    concurrency: filmsAtOnce,
  });
  const janitor = new Janitor({ ...core, log });
  return {
    images,
    inspectFilm: films.inspect,
    search,
    newOperatorKey: operator.apiKey,
    start({ runJobs }) {
      images.start();
      if (!runJobs) return;
      jobs.start();
      filmJobs.start();
      events.start();
      search.start();
      janitor.start();
    },
    async stop() {
      janitor.stop();
      await Promise.all([jobs.stop(jobGraceMs), events.stop(jobGraceMs), filmJobs.stop(0), search.stop()]);
      await Promise.all([images.close(), films.close()]);
    },
  };
}

/** In a runner of their own: a film takes minutes, and what is quick must not wait behind it. */
function filmJobHandlers({ database, stores, urls }: Core, providers: VideoProviders, log: Log) {
  return processFilmHandlers({ database, stores, urls, providers, log });
}

type HandlerParts = {
  images: ImageService;
  providers: VideoProviders;
  search: Pick<SearchService, 'follow'>;
  log: Log;
};

function jobHandlers(
  config: Config,
  core: Core,
  { images: { maker }, providers, search, log }: HandlerParts,
) {
  const { database, stores } = core;
  return {
    ...manifestHandlers(database, stores, async (object) => {
      await queuePreparation(database, object);
      await search.follow(object);
    }),
    ...prepareHandlers({
      database,
      maker,
      originalOf: (object) => originalImageOf(stores, object),
    }),
    'purge-object': purgeHandler(stores, (bucketId, generation) => maker.remove({ bucketId, generation })),
    ...purgeCachesHandlers(config.purgeCall),
    ...janitorHandlers({ database, stores, log }),
    ...tidyFilmHandlers(core),
    ...forgetFilmHandlers(providers.all),
    ...storageWarningHandlers({
      database,
      sendMail: createSendMail({ smtpUrl: config.SMTP_URL, from: config.MAIL_FROM, log }),
    }),
    'erase-account': eraseAccountHandler({
      ...core,
      forgetElsewhere: forgetElsewhere(config, core.urls),
    }),
  };
}

function observe(metrics: Metrics, { database }: Core, { pool, vision, evictor }: ImageService): void {
  const count = async (dead: 0 | 1): Promise<number> => {
    const query = database.read.selectFrom('jobs').select((eb) => eb.fn.countAll<number>().as('count'));
    const due = query.where('dead', '=', dead).where('run_at', '<=', Date.now());
    return (await due.executeTakeFirstOrThrow()).count;
  };
  metrics.gauge('tintype_renderings_busy', 'Pictures being rendered', () => pool.stats().busy);
  metrics.gauge('tintype_renderings_queued', 'Renderings that wait', () => pool.stats().queued);
  metrics.gauge(
    'tintype_image_worker_crashes',
    'Workers that died or were killed',
    () => pool.stats().crashes,
  );
  metrics.gauge('tintype_renderings', 'Pictures rendered since the start', () => pool.stats().done);
  metrics.gauge(
    'tintype_model_looks',
    'Pictures a model looked at since the start',
    () => vision.stats().done,
  );
  metrics.gauge('tintype_cache_bytes', 'Variants that may be dropped', () => evictor.bytes);
  metrics.gauge('tintype_jobs_waiting', 'Background jobs that could run now', () => count(0));
  metrics.gauge('tintype_jobs_dead', 'Background jobs given up', () => count(1));
}

function observeFilms(metrics: Metrics, { workers }: FilmService): void {
  metrics.gauge('tintype_film_tasks_busy', 'Films being read or transcoded', () => workers.stats().busy);
  metrics.gauge(
    'tintype_film_worker_crashes',
    'Workers for films that died or were killed',
    () => workers.stats().crashes,
  );
  metrics.gauge('tintype_film_tasks', 'Tasks on films done since the start', () => workers.stats().done);
}

function observeEvents(metrics: Metrics, events: EventService): void {
  metrics.gauge('tintype_webhook_deliveries_waiting', 'Deliveries to come', () => events.waiting());
  metrics.gauge('tintype_webhook_deliveries_done', 'Deliveries since the start', () => events.delivered());
  metrics.gauge('tintype_webhook_deliveries_failed', 'Deliveries given up since the start', () =>
    events.failed(),
  );
}

function observeAnalyses(metrics: Metrics, { database }: Core): void {
  const count = async (dead: 0 | 1): Promise<number> => {
    const query = database.read.selectFrom('analyses').select((eb) => eb.fn.countAll<number>().as('count'));
    return (await query.where('dead', '=', dead).executeTakeFirstOrThrow()).count;
  };
  metrics.gauge('tintype_analyses_waiting', 'Pictures that wait for their analysis', () => count(0));
  metrics.gauge('tintype_analyses_failed', 'Pictures whose analysis was given up', () => count(1));
}
