// The composition root: puts the parts together into one service that starts and stops. Nothing else knows them all.
import { accountRoutes } from './accounts/account-routes.ts';
import { accountTopic } from './accounts/account-changed.ts';
import { ensureOperatorAccount } from './accounts/accounts.ts';
import { authenticate } from './accounts/authenticate.ts';
import { keyRoutes } from './accounts/key-routes.ts';
import { userRoutes } from './accounts/user-routes.ts';
import type { Config } from './config.ts';
import { type Core, openCore } from './core.ts';
import { createAddressMatcher } from './delivery/address.ts';
import { createClientOf } from './delivery/client-of.ts';
import { Delivery } from './delivery/delivery.ts';
import { nameForNginx } from './delivery/hand-to-nginx.ts';
import { FactsCache } from './delivery/object-facts.ts';
import { publicAddressPaths } from './delivery/openapi-paths.ts';
import { createRoute, isKeptVariant } from './images/create-route.ts';
import { createImageService, type ImageService } from './images/image-service.ts';
import { checkPresetTokens } from './images/transformation.ts';
import { originalImageOf } from './images/variants/original-image.ts';
import {
  describeObject,
  prepareHandlers,
  prepareJob,
  type PrepareParts,
} from './images/variants/prepare-image.ts';
import { VariantRenderer } from './images/variants/render-variant.ts';
import { bulkRoute } from './objects/bulk-route.ts';
import { objectTopic, purgeHandler } from './objects/change-object.ts';
import { eraseAccountHandler } from './objects/erase-account.ts';
import { listRoutes } from './objects/list-routes.ts';
import { manifestHandlers } from './objects/manifests.ts';
import { objectRoutes } from './objects/object-routes.ts';
import { forgetInCaches, purgeCachesHandlers } from './objects/purge-caches.ts';
import { Janitor } from './objects/janitor.ts';
import { uploadRoute } from './objects/upload-route.ts';
import { lockDataDir } from './platform/database/data-dir-lock.ts';
import type { BodyRateOptions } from './platform/http/body-rate.ts';
import { createHttpServer, type HttpApp } from './platform/http/http-server.ts';
import { describeApi, documentationRoutes } from './platform/http/openapi.ts';
import { serviceRoutes } from './platform/http/service-routes.ts';
import { JobRunner } from './platform/jobs/job-runner.ts';
import type { Log } from './platform/log.ts';
import { createMetrics, type Metrics } from './platform/metrics.ts';
import { searchRoute } from './search/search-route.ts';
import { version } from './version.ts';

const defaultRequestGraceMs = 18_000;
const jobGraceMs = 4_000;

export type AppOptions = {
  log: Log;
  runJobs?: boolean;
  bodyRate?: BodyRateOptions;
  /** How long a stop waits for requests that are under way. */
  requestGraceMs?: number;
};

export type App = {
  http: HttpApp;
  core: Core;
  /** The operator's key, when this start has made it. */
  newOperatorKey: string | undefined;
  listen(): Promise<void>;
  stop(): Promise<void>;
};

export async function createApp(config: Config, options: AppOptions): Promise<App> {
  const lock = lockDataDir(config.dataDir, config.baseUrl);
  try {
    return await assemble(config, options, lock);
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function assemble(config: Config, options: AppOptions, lock: { release(): void }): Promise<App> {
  const core = await openCore(config);
  const metrics = createMetrics();
  const images = createImageService({
    dataDir: config.dataDir,
    workers: config.IMAGE_WORKERS,
    maxQueued: config.IMAGE_QUEUE,
    maxSeconds: config.IMAGE_SECONDS,
    cacheMaxBytes: config.CACHE_MAX_BYTES,
    mezzanines: config.MEZZANINES,
    modelPath: config.BACKGROUND_MODEL ?? null,
    log: options.log,
  });
  const variants = new VariantRenderer(images);
  const preparing: PrepareParts = {
    database: core.database,
    maker: images.maker,
    originalOf: (object) => originalImageOf(core.stores, object),
  };
  const operator = await ensureOperatorAccount(core.database, { bootstrapKey: config.BOOTSTRAP_API_KEY });
  const delivery = createDelivery(config, core, { variants, preparing, metrics, log: options.log });
  const http = createHttpServer({
    log: options.log,
    corsOrigins: config.API_CORS_ORIGINS,
    inFront: (request, response) => delivery.handle(request, response),
    prepared: {
      answerTo: (host, target) => delivery.prepared(host, target),
      answered: () => metrics.countDelivery('memory'),
    },
    ...(options.bodyRate ? { bodyRate: options.bodyRate } : {}),
  });
  await registerRoutes(http, config, core, variants, metrics);
  observe(metrics, core, images);
  const jobs = new JobRunner({
    database: core.database,
    log: options.log,
    handlers: jobHandlers(config, core, variants, preparing),
  });
  const janitor = new Janitor({ ...core, log: options.log });

  return {
    http,
    core,
    newOperatorKey: operator.apiKey,
    async listen() {
      await http.listen({ port: config.PORT, host: config.HOST });
      images.start();
      if (options.runJobs === false) return;
      jobs.start();
      janitor.start();
    },
    async stop() {
      const deadline = setTimeout(
        () => http.server.closeAllConnections(),
        options.requestGraceMs ?? defaultRequestGraceMs,
      );
      await http.close();
      clearTimeout(deadline);
      janitor.stop();
      await jobs.stop(jobGraceMs);
      await images.close();
      await core.database.close();
      lock.release();
    },
  };
}

function createDelivery(
  config: Config,
  core: Core,
  parts: { variants: VariantRenderer; preparing: PrepareParts; metrics: Metrics; log: Log },
): Delivery {
  return new Delivery({
    match: createAddressMatcher({ base: config.baseUrl, files: config.filesUrl, storage: config.storageUrl }),
    facts: new FactsCache(core.database, { object: objectTopic, account: accountTopic }),
    stores: core.stores,
    variants: parts.variants,
    describe: (generation) => describeObject(parts.preparing, generation),
    clientOf: createClientOf({ trustProxy: config.TRUST_PROXY }),
    isKeptVariant: (generation, name) => isKeptVariant(core.database, generation, name),
    openSecret: (sealed) => core.secretBox.open(sealed),
    memoryBytes: config.MEMORY_CACHE_MB * 1024 * 1024,
    nameForNginx: nameForNginx(config.X_ACCEL_REDIRECT, core.stores),
    tagHeader: config.CACHE_TAG_HEADER,
    log: parts.log,
    onAnswer: (source) => parts.metrics.countDelivery(source),
  });
}

async function registerRoutes(
  http: HttpApp,
  config: Config,
  core: Core,
  variants: VariantRenderer,
  metrics: Metrics,
): Promise<void> {
  const { database, stores, urls, secretBox, uploads } = core;
  await describeApi(http, {
    version,
    baseUrl: config.baseUrl,
    extraPaths: publicAddressPaths(config.filesUrl),
  });
  authenticate(http, { database });
  serviceRoutes(http, {
    checks: {
      database: () => database.ping(),
      files: () => stores.files.probe(),
      storage: () => stores.storage.probe(),
    },
    metrics,
    metricsToken: config.METRICS_TOKEN,
  });
  documentationRoutes(http);
  await uploadRoute(http, { database, stores, uploads });
  listRoutes(http, { database, urls });
  searchRoute(http);
  const forget = forgetInCaches(urls, config.purgeCall);
  objectRoutes(http, { database, stores, urls, forgetInCaches: forget });
  bulkRoute(http, { database, stores, forgetInCaches: forget });
  createRoute(http, { database, urls, variants, originalOf: (object) => originalImageOf(stores, object) });
  userRoutes(http, {
    database,
    secretBox,
    allowPrivateWebhooks: config.WEBHOOK_ALLOW_PRIVATE,
    checkTokens: checkPresetTokens,
  });
  keyRoutes(http, { database });
  accountRoutes(http, { database });
}

function jobHandlers(config: Config, core: Core, variants: VariantRenderer, preparing: PrepareParts) {
  return {
    ...manifestHandlers(core.database, core.stores, prepareJob),
    ...prepareHandlers(preparing),
    'purge-object': purgeHandler(core.stores, (bucketId, generation) =>
      variants.removeVariants(bucketId, generation),
    ),
    ...purgeCachesHandlers(config.purgeCall),
    'erase-account': eraseAccountHandler({
      ...core,
      forgetInCaches: forgetInCaches(core.urls, config.purgeCall),
    }),
  };
}

function observe(metrics: Metrics, { database }: Core, { pool, vision, evictor }: ImageService): void {
  const count = async (dead: 0 | 1): Promise<number> => {
    const query = database.read.selectFrom('jobs').select((eb) => eb.fn.countAll<number>().as('count'));
    return (await query.where('dead', '=', dead).executeTakeFirstOrThrow()).count;
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
  metrics.gauge('tintype_jobs_waiting', 'Background jobs not done yet', () => count(0));
  metrics.gauge('tintype_jobs_dead', 'Background jobs given up', () => count(1));
}
