// Everything that answers HTTP, put together: the public addresses and every route of the API. A service has one of it in
// each of its processes that take requests.
import { accountRoutes } from './accounts/account-routes.ts';
import { accountTopic } from './accounts/account-changed.ts';
import { authenticate } from './accounts/authenticate.ts';
import { keyRoutes } from './accounts/key-routes.ts';
import { KeyRecogniser } from './accounts/recognise-key.ts';
import type { RequestRate } from './accounts/request-rate.ts';
import { sessionRoutes } from './accounts/session-routes.ts';
import { createSessions } from './accounts/sessions.ts';
import { userRoutes } from './accounts/user-routes.ts';
import type { Config } from './config.ts';
import { type Core, deliveryParts } from './core.ts';
import { dashboardRoutes } from './dashboard-routes.ts';
import { createAddressMatcher } from './delivery/address.ts';
import { createClientOf } from './delivery/client-of.ts';
import { Delivery } from './delivery/delivery.ts';
import { nameForNginx } from './delivery/hand-to-nginx.ts';
import { FactsCache } from './delivery/object-facts.ts';
import { publicAddressPaths } from './delivery/openapi-paths.ts';
import { docsRoutes } from './docs-routes.ts';
import { forgetElsewhere } from './forget-elsewhere.ts';
import { healthChecks } from './health-checks.ts';
import { webhookRoutes } from './events/webhook-routes.ts';
import { createRoute, isKeptVariant } from './images/create-route.ts';
import { checkPresetTokens } from './images/address/transformation.ts';
import type { VariantMaker } from './images/variants/make-variant.ts';
import { originalImageOf } from './images/variants/original-image.ts';
import { describeObject } from './images/variants/prepare-image.ts';
import { VariantRenderer } from './images/variants/render-variant.ts';
import type { VariantStore } from './images/variants/variant-store.ts';
import { bulkRoute } from './objects/bulk-route.ts';
import { objectTopic } from './objects/change-object.ts';
import { listRoutes } from './objects/list-routes.ts';
import { objectRoutes } from './objects/object-routes.ts';
import { type FilmParts, UploadStore } from './objects/uploads/store-upload.ts';
import type { ObjectRow } from './objects/tables.ts';
import { uploadRoute } from './objects/uploads/upload-route.ts';
import { resumableRoute } from './objects/uploads/resumable-route.ts';
import { signRoute } from './objects/uploads/sign-route.ts';
import { mayComeFromAnywhere } from './objects/uploads/token-origins.ts';
import { createTokenOpener } from './objects/uploads/upload-token.ts';
import { urlRoute } from './objects/uploads/url-route.ts';
import type { BodyRateOptions } from './platform/http/body-rate.ts';
import { allowAnyOrigin } from './platform/http/cors.ts';
import { createHttpServer, type HttpApp } from './platform/http/http-server.ts';
import { leave } from './platform/http/leaving.ts';
import { describeApi, referenceRoutes } from './platform/http/openapi.ts';
import { serviceRoutes } from './platform/http/service-routes.ts';
import type { Log } from './platform/log.ts';
import type { Metrics } from './platform/metrics.ts';
import { analyseWhatIsMissing } from './search/analysis/find-unanalysed.ts';
import { analysisRoutes } from './search/analysis-routes.ts';
import { searchRoute } from './search/search-route.ts';
import type { SearchService } from './search/search-service.ts';
import { processFilmJob, wakeFilm } from './videos/process-film.ts';
import { providerWebhookRoutes } from './videos/provider-webhook-route.ts';
import { StreamIndexes } from './videos/stream-index.ts';
import { version } from './version.ts';

export type HttpParts = {
  config: Config;
  core: Core;
  images: { maker: VariantMaker; store: VariantStore };
  inspectFilm: FilmParts['inspect'];
  search: Pick<SearchService, 'find' | 'progressOf'>;
  requestRate: RequestRate;
  metrics: Metrics;
  /** Of the whole service, in Prometheus' form. */
  metricsText: () => Promise<string>;
  log: Log;
  bodyRate?: BodyRateOptions | undefined;
};
type WithVariants = HttpParts & { variants: VariantRenderer };

export async function createHttpApp(parts: HttpParts): Promise<HttpApp> {
  const { config, metrics, log, bodyRate } = parts;
  const all: WithVariants = { ...parts, variants: new VariantRenderer(parts.images) };
  const delivery = createDelivery(all);
  const http = createHttpServer({
    log,
    corsOrigins: config.API_CORS_ORIGINS,
    inFront: (request, response) => delivery.handle(request, response),
    prepared: {
      answerTo: (host, target) => delivery.prepared(host, target),
      answered: () => metrics.countDelivery('memory'),
    },
    ...(bodyRate ? { bodyRate } : {}),
  });
  await registerRoutes(http, all);
  return http;
}

/** Lets who stands in front turn to others, then requests that are under way end, but no longer than this. */
export async function closeHttpApp(
  http: HttpApp,
  { DRAIN_SECONDS: drainSeconds }: Pick<Config, 'DRAIN_SECONDS'>,
  graceMs: number,
): Promise<void> {
  if (drainSeconds > 0) await leave(http.server, drainSeconds * 1000);
  const deadline = setTimeout(() => http.server.closeAllConnections(), graceMs);
  await http.close();
  clearTimeout(deadline);
}

function createDelivery({ config, core, images, variants, metrics, log }: WithVariants): Delivery {
  const { database, stores } = core;
  const preparing = {
    database,
    maker: images.maker,
    originalOf: (object: ObjectRow) => originalImageOf(stores, object),
  };
  return new Delivery({
    match: createAddressMatcher({ base: config.baseUrl, files: config.filesUrl, storage: config.storageUrl }),
    facts: new FactsCache(database, { object: objectTopic, account: accountTopic }),
    stores,
    streams: new StreamIndexes(stores),
    variants,
    describe: (generation) => describeObject(preparing, generation),
    clientOf: createClientOf({ trustProxy: config.TRUST_PROXY }),
    isKeptVariant: (generation, name) => isKeptVariant(database, generation, name),
    openSecret: (sealed) => core.secretBox.open(sealed),
    memoryBytes: config.MEMORY_CACHE_MB * 1024 * 1024,
    nameForNginx: nameForNginx(config.X_ACCEL_REDIRECT, stores),
    tagHeader: config.CACHE_TAG_HEADER,
    log,
    onAnswer: (source) => metrics.countDelivery(source),
  });
}

async function registerRoutes(http: HttpApp, parts: WithVariants): Promise<void> {
  const { config, variants, requestRate, metrics, metricsText } = parts;
  const { database, stores, urls, secretBox } = parts.core;
  const films: FilmParts = { inspect: parts.inspectFilm, processJob: processFilmJob };
  const uploads = new UploadStore({ database, stores, urls, films });
  await describeApi(http, {
    version,
    baseUrl: config.baseUrl,
    extraPaths: publicAddressPaths(config.filesUrl),
  });
  allowAnyOrigin(http, mayComeFromAnywhere);
  const sessions = createSessions(secretBox, { secure: new URL(config.baseUrl).protocol === 'https:' });
  const recogniser = new KeyRecogniser(database);
  const openToken = createTokenOpener(database);
  authenticate(http, { database, recogniser, requestRate, openToken, sessions });
  serviceRoutes(http, {
    checks: healthChecks(parts.core),
    metrics,
    metricsText,
    metricsToken: config.METRICS_TOKEN,
  });
  referenceRoutes(http);
  docsRoutes(http);
  dashboardRoutes(http, { deliveredFrom: [config.filesUrl, config.storageUrl] });
  await uploadRoute(http, { database, stores, uploads });
  await resumableRoute(http, { database, stores, uploads, baseUrl: config.baseUrl });
  urlRoute(http, {
    database,
    stores,
    uploads,
    source: { audience: 'account', allowPrivate: config.UPLOAD_ALLOW_PRIVATE },
    bodyRate: parts.bodyRate,
  });
  signRoute(http, { database, baseUrl: config.baseUrl });
  listRoutes(http, { database, urls });
  searchRoute(http, { database, urls, find: parts.search.find });
  analysisRoutes(http, { database, progressOf: parts.search.progressOf });
  const deleting = { database, stores, urls, forgetElsewhere: forgetElsewhere(config, urls) };
  objectRoutes(http, deleting);
  bulkRoute(http, deleting);
  createRoute(http, {
    database,
    urls,
    variants,
    originalOf: (object, seconds) => originalImageOf(stores, object, seconds),
  });
  userRoutes(http, {
    database,
    secretBox,
    allowPrivateWebhooks: config.WEBHOOK_ALLOW_PRIVATE,
    allowPrivateAi: config.AI_ALLOW_PRIVATE,
    checkTokens: checkPresetTokens,
    onAiSettingsChanged: (tx, account) => analyseWhatIsMissing(database, tx, account),
  });
  webhookRoutes(http, deliveryParts(config, parts.core));
  sessionRoutes(http, { sessions, recogniser });
  keyRoutes(http, { database });
  accountRoutes(http, { database });
  await providerWebhookRoutes(http, {
    secrets: { mux: config.MUX_WEBHOOK_SECRET, cloudflare: config.CLOUDFLARE_WEBHOOK_SECRET },
    wake: (generation) => wakeFilm(database, generation),
  });
}
