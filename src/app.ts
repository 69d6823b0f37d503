// The composition root: puts the parts together into one service that starts and stops. Nothing else knows them all.
import { join } from 'node:path';
import { accountRoutes } from './accounts/account-routes.ts';
import { accountTopic } from './accounts/account-changed.ts';
import { ensureOperatorAccount } from './accounts/accounts.ts';
import { authenticate } from './accounts/authenticate.ts';
import { keyRoutes } from './accounts/key-routes.ts';
import { userRoutes } from './accounts/user-routes.ts';
import type { Config } from './config.ts';
import { type Core, openCore } from './core.ts';
import { createAddressMatcher } from './delivery/address.ts';
import { Delivery } from './delivery/delivery.ts';
import { FactsCache } from './delivery/object-facts.ts';
import { publicAddressPaths } from './delivery/openapi-paths.ts';
import { createRoute, isKeptVariant } from './images/create-route.ts';
import { createImageWorkerPool, type ImageWorkerPool } from './images/image-worker-pool.ts';
import { originalImageOf } from './images/original-image.ts';
import { createVariantRenderer, type VariantRenderer } from './images/render-variant.ts';
import { parseTransformation } from './images/transformation.ts';
import { bulkRoute } from './objects/bulk-route.ts';
import { objectTopic, purgeHandler } from './objects/change-object.ts';
import { eraseAccountHandler } from './objects/erase-account.ts';
import { listRoutes } from './objects/list-routes.ts';
import { manifestHandlers } from './objects/manifests.ts';
import { objectRoutes } from './objects/object-routes.ts';
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

const maxWorkerBytes = 1536 * 1024 * 1024;
const workerIdleMs = 60_000;
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
  const pool = createImageWorkerPool({
    size: config.IMAGE_WORKERS,
    maxQueued: config.IMAGE_QUEUE,
    wallTimeMs: config.IMAGE_SECONDS * 1000,
    maxRssBytes: maxWorkerBytes,
    idleMs: workerIdleMs,
    log: options.log,
  });
  const variants = createVariantRenderer({ pool, variantsDir: join(config.dataDir, 'variants') });
  const operator = await ensureOperatorAccount(core.database, { bootstrapKey: config.BOOTSTRAP_API_KEY });
  const delivery = createDelivery(config, core, variants, metrics, options.log);
  const http = createHttpServer({
    log: options.log,
    corsOrigins: config.API_CORS_ORIGINS,
    inFront: (request, response) => delivery.handle(request, response),
    ...(options.bodyRate ? { bodyRate: options.bodyRate } : {}),
  });
  await registerRoutes(http, config, core, variants, metrics);
  observe(metrics, core, pool);
  const jobs = new JobRunner({
    database: core.database,
    log: options.log,
    handlers: jobHandlers(core, variants),
  });
  const janitor = new Janitor({ ...core, log: options.log });

  return {
    http,
    core,
    newOperatorKey: operator.apiKey,
    async listen() {
      await http.listen({ port: config.PORT, host: config.HOST });
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
      await pool.close();
      await core.database.close();
      lock.release();
    },
  };
}

function createDelivery(
  config: Config,
  core: Core,
  variants: VariantRenderer,
  metrics: Metrics,
  log: Log,
): Delivery {
  return new Delivery({
    match: createAddressMatcher({ base: config.baseUrl, files: config.filesUrl, storage: config.storageUrl }),
    facts: new FactsCache(core.database, { object: objectTopic, account: accountTopic }),
    stores: core.stores,
    variants,
    isKeptVariant: (generation, name) => isKeptVariant(core.database, generation, name),
    openSecret: (sealed) => core.secretBox.open(sealed),
    memoryBytes: config.MEMORY_CACHE_MB * 1024 * 1024,
    log,
    onAnswer: (source) => metrics.deliveries.labels(source).inc(),
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
  objectRoutes(http, { database, stores, urls });
  bulkRoute(http, { database, stores });
  createRoute(http, { database, urls, variants, originalOf: (object) => originalImageOf(stores, object) });
  userRoutes(http, {
    database,
    secretBox,
    allowPrivateWebhooks: config.WEBHOOK_ALLOW_PRIVATE,
    checkTokens: (tokens) => void parseTransformation(`${tokens}.webp`),
  });
  keyRoutes(http, { database });
  accountRoutes(http, { database });
}

function jobHandlers(core: Core, variants: VariantRenderer) {
  return {
    ...manifestHandlers(core.database, core.stores),
    'purge-object': purgeHandler(core.stores, (bucketId, generation) =>
      variants.removeVariants(bucketId, generation),
    ),
    'erase-account': eraseAccountHandler(core.database, core.stores),
  };
}

function observe(metrics: Metrics, { database }: Core, pool: ImageWorkerPool): void {
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
  metrics.gauge('tintype_jobs_waiting', 'Background jobs not done yet', () => count(0));
  metrics.gauge('tintype_jobs_dead', 'Background jobs given up', () => count(1));
}
