// The service in several processes, seen from the first: it has what a service has one of, keeps the processes that
// answer HTTP, and is asked by them for all that must be counted, queued or told once. It answers no HTTP itself.
import cluster from 'node:cluster';
import { openRequestRate } from './accounts/request-rate.ts';
import { createBackground } from './background.ts';
import type { Config } from './config.ts';
import { openCore } from './core.ts';
import { originalImageOf } from './images/variants/original-image.ts';
import { answersOfMaker } from './images/variants/remote-variant-maker.ts';
import { withinTime } from './lib/within-time.ts';
import { GatheredMetrics } from './platform/cluster/gathered-metrics.ts';
import { KeptProcesses, type KeptProcess } from './platform/cluster/kept-processes.ts';
import { SharedTurns } from './platform/cluster/shared-turns.ts';
import { assertPortFree } from './platform/cluster/shared-port.ts';
import type { Announcement } from './platform/database/database.ts';
import { lockDataDir } from './platform/database/data-dir-lock.ts';
import { OperatorError } from './platform/errors.ts';
import { createMetrics } from './platform/metrics.ts';
import type { HttpProcessAnswers, PrimaryAnswers } from './process-calls.ts';
import { defaultRequestGraceMs, type RunningService, type ServiceOptions } from './running-service.ts';

/** A process that does not answer has other troubles; it looks into the database itself soon after. */
const maxHearMs = 500;
/** What a process may need beyond the time its requests have. */
const endMs = 2000;

type HttpProcess = KeptProcess<HttpProcessAnswers>;
type OwnAnswers = Omit<PrimaryAnswers, 'joined' | 'listening' | 'failed'>;

export async function createPrimary(config: Config, options: ServiceOptions): Promise<RunningService> {
  if (!cluster.isPrimary)
    throw new OperatorError('WEB_CONCURRENCY must be 1 where another program runs this one in a cluster');
  const lock = lockDataDir(config.dataDir, config.baseUrl);
  try {
    return await assemble(config, options, lock);
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function assemble(
  config: Config,
  { log, runJobs = true }: ServiceOptions,
  lock: { release(): void },
): Promise<RunningService> {
  const turns = new SharedTurns();
  const gathered = new GatheredMetrics();
  const processes = new KeptProcesses<HttpProcessAnswers>({
    count: config.WEB_CONCURRENCY,
    args: ['serve', '--http-process'],
    log,
    connect,
  });
  const core = await openCore(config, { neighbours: { tell, takeTurn: () => turns.take() } });
  const requestRate = await openRequestRate(core.database);
  const metrics = createMetrics();
  const background = await createBackground(config, core, { log, metrics });

  async function tell(announcement: Announcement, from?: HttpProcess): Promise<void> {
    const others = processes.joined().filter(({ pid }) => pid !== from?.pid);
    await Promise.all(others.map(({ ask }) => withinTime(ask('hear', announcement), maxHearMs)));
  }

  function connect(httpProcess: HttpProcess): { answers: OwnAnswers; ended: () => void } {
    const turn = turns.forProcess();
    return {
      answers: {
        ...answersOfMaker(background.images.maker, (row, seconds) =>
          originalImageOf(core.stores, row, seconds),
        ),
        ...turn.answers,
        inspectFilm: background.inspectFilm,
        findPictures: background.search.find,
        analysisProgress: background.search.progressOf,
        settings: () => ({ ...config, BOOTSTRAP_API_KEY: undefined }),
        countRequest: ({ accountId, perMinute }) => requestRate.count(accountId, perMinute),
        announced: (announcement) => tell(announcement, httpProcess),
        metricsText: () =>
          gathered.text([
            { pid: process.pid, snapshot: () => metrics.snapshot() },
            ...processes.joined().map(({ pid, ask }) => ({ pid, snapshot: () => ask('metrics') })),
          ]),
      },
      ended() {
        turn.ended();
        gathered.ended(httpProcess.pid);
      },
    };
  }

  let stopping = false;
  return {
    newOperatorKey: background.newOperatorKey,
    async listen() {
      await assertPortFree(config.PORT, config.HOST);
      await processes.start();
      if (!stopping) background.start({ runJobs });
    },
    async stop() {
      stopping = true;
      await processes.stop(config.DRAIN_SECONDS * 1000 + defaultRequestGraceMs + endMs);
      await background.stop();
      await core.database.close();
      lock.release();
    },
  };
}
