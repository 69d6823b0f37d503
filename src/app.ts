// The service in one process: settings, the parts every command needs, what answers HTTP and what runs behind it.
import { openRequestRate } from './accounts/request-rate.ts';
import { createBackground } from './background.ts';
import type { Config } from './config.ts';
import { type Core, type OpenDatabase, openCore } from './core.ts';
import { closeHttpApp, createHttpApp } from './http-app.ts';
import { lockDataDir } from './platform/database/data-dir-lock.ts';
import type { BodyRateOptions } from './platform/http/body-rate.ts';
import type { HttpApp } from './platform/http/http-server.ts';
import { createMetrics } from './platform/metrics.ts';
import { defaultRequestGraceMs, type RunningService, type ServiceOptions } from './running-service.ts';

export type AppOptions = ServiceOptions & {
  bodyRate?: BodyRateOptions;
  /** How long a stop waits for requests that are under way. */
  requestGraceMs?: number;
  /** For databases that no setting names. */
  openDatabase?: OpenDatabase;
};
export type App = RunningService & { http: HttpApp; core: Core };

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
  const core = await openCore(config, { openDatabase: options.openDatabase });
  const { log, bodyRate } = options;
  const metrics = createMetrics();
  const background = await createBackground(config, core, { log, metrics });
  const http = await createHttpApp({
    config,
    core,
    images: background.images,
    inspectFilm: background.inspectFilm,
    search: background.search,
    requestRate: await openRequestRate(core.database),
    metrics,
    metricsText: () => metrics.text(),
    log,
    bodyRate,
  });
  return {
    http,
    core,
    newOperatorKey: background.newOperatorKey,
    async listen() {
      await http.listen({ port: config.PORT, host: config.HOST });
      background.start({ runJobs: options.runJobs !== false });
    },
    async stop() {
      await closeHttpApp(http, config, options.requestGraceMs ?? defaultRequestGraceMs);
      await background.stop();
      await core.database.close();
      lock.release();
    },
  };
}
