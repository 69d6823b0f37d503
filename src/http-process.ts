// One of several processes that answer HTTP on the same port. It reads files and the database itself; what must be done
// once for the whole service it asks of the primary process, with which it ends.
import cluster, { type Worker } from 'node:cluster';
import type { Config } from './config.ts';
import { type Core, openCore } from './core.ts';
import { closeHttpApp, createHttpApp } from './http-app.ts';
import { createVariantStore } from './images/image-service.ts';
import { RemoteVariantMaker } from './images/variants/remote-variant-maker.ts';
import { type Ask, connectCalls } from './platform/cluster/call-channel.ts';
import { sharedPort } from './platform/cluster/shared-port.ts';
import type { Neighbours } from './platform/database/database.ts';
import { OperatorError } from './platform/errors.ts';
import type { HttpApp } from './platform/http/http-server.ts';
import type { Log } from './platform/log.ts';
import { createMetrics } from './platform/metrics.ts';
import type { HttpProcessAnswers, PrimaryAnswers } from './process-calls.ts';
import { defaultRequestGraceMs } from './running-service.ts';

type Primary = Ask<PrimaryAnswers>;
type Parts = { config: Config; core: Core; http: HttpApp };

export async function runHttpProcess(log: Log): Promise<void> {
  if (!cluster.worker) throw new OperatorError('Only "tintype serve" starts processes of this kind');
  // A signal to the whole group is for the primary, which says when to end.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
  const metrics = createMetrics();
  const opened: Partial<Parts> = {};
  const answers: HttpProcessAnswers = {
    hear: (announcement) => opened.core?.database.hear(announcement),
    metrics: () => metrics.snapshot(),
    stop: () => void end(opened, log),
  };
  const primary = connectCalls<PrimaryAnswers>(cluster.worker as Worker, answers, log);
  try {
    const config = await primary('settings');
    opened.config = config;
    log.level = config.LOG_LEVEL;
    const core = await openCore(config, { neighbours: neighboursThrough(primary) });
    opened.core = core;
    opened.http = await createHttpApp({
      config,
      core,
      images: { maker: new RemoteVariantMaker(primary), store: createVariantStore(config.dataDir) },
      inspectFilm: (film) => primary('inspectFilm', film),
      search: {
        find: (question) => primary('findPictures', question),
        progressOf: (account) => primary('analysisProgress', account),
      },
      requestRate: {
        count: (accountId, perMinute) => primary('countRequest', { accountId, perMinute }),
      },
      metrics,
      metricsText: () => primary('metricsText'),
      log,
    });
    // Before anything is answered and kept in memory: from here on it hears of changes.
    await primary('joined');
    await opened.http.listen(sharedPort(config.PORT, config.HOST));
    await primary('listening');
  } catch (error) {
    if (!(error instanceof OperatorError)) log.fatal({ err: error }, 'could not start');
    await primary('failed', error instanceof OperatorError ? error.message : String(error)).catch(
      () => undefined,
    );
    process.exit(1);
  }
}

function neighboursThrough(primary: Primary): Neighbours {
  return {
    tell: (announcement) => primary('announced', announcement).catch(() => undefined),
    async takeTurn() {
      await primary('takeTurn');
      return () => void primary('endTurn').catch(() => undefined);
    },
  };
}

async function end({ config, http, core }: Partial<Parts>, log: Log): Promise<never> {
  try {
    if (http) await closeHttpApp(http, config ?? { DRAIN_SECONDS: 0 }, defaultRequestGraceMs);
    await core?.database.close();
    process.exit(0);
  } catch (error) {
    log.fatal({ err: error }, 'could not stop cleanly');
    process.exit(1);
  }
}
