// A node that answers no requests: it runs background jobs on the database and stores it shares with others. On a port of its
// own it tells whether it is well.
import { createBackground } from './background.ts';
import type { Config } from './config.ts';
import { openCore } from './core.ts';
import { lockDataDir } from './platform/database/data-dir-lock.ts';
import { createHttpServer, type HttpApp } from './platform/http/http-server.ts';
import { serviceRoutes } from './platform/http/service-routes.ts';
import { createMetrics, type Metrics } from './platform/metrics.ts';
import { healthChecks } from './health-checks.ts';
import type { RunningService, ServiceOptions } from './running-service.ts';

export type WorkerOptions = Pick<ServiceOptions, 'log'> & { port: number | null };

export async function createWorker(config: Config, { log, port }: WorkerOptions): Promise<RunningService> {
  const lock = lockDataDir(config.dataDir, 'tintype worker');
  try {
    const core = await openCore(config);
    const metrics = createMetrics();
    const background = await createBackground(config, core, { log, metrics });
    const http = port === null ? null : healthServer(config, { core, metrics, log });
    return {
      newOperatorKey: background.newOperatorKey,
      async listen() {
        if (http) await http.listen({ port: port as number, host: config.HOST });
        background.start({ runJobs: true });
      },
      async stop() {
        await background.stop();
        await http?.close();
        await core.database.close();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

type HealthParts = { core: Parameters<typeof healthChecks>[0]; metrics: Metrics } & Pick<
  ServiceOptions,
  'log'
>;

function healthServer(config: Config, { core, metrics, log }: HealthParts): HttpApp {
  const http = createHttpServer({ log });
  serviceRoutes(http, {
    checks: healthChecks(core),
    metrics,
    metricsText: () => metrics.text(),
    metricsToken: config.METRICS_TOKEN,
  });
  return http;
}
