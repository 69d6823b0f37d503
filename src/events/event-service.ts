// What goes on behind the answers: events are handed out soon after they happened, endpoints get what waits for them, and
// deliveries older than a month are forgotten. In a runner of its own, so that receivers hold up no other work.
import type { Database } from '../platform/database/database.ts';
import { JobRunner } from '../platform/jobs/job-runner.ts';
import type { Log } from '../platform/log.ts';
import type { DeliveryParts } from './attempt-delivery.ts';
import { deliverHandlers } from './deliver-webhooks.ts';
import { fanOut } from './fan-out.ts';
import { sweepDeliveries } from './sweep-deliveries.ts';

/** Endpoints served at once: as many receivers may hang before others have to wait a few seconds for their turn. */
const endpointsAtOnce = 100;
/** Where word of new events comes by itself, looking is for what got lost. */
const lookEveryMs = ({ engine }: Database): number => (engine === 'sqlite' ? 200 : 1000);
const sweepEveryMs = 3_600_000;
/** Retries of the job itself, when the database failed it. */
const backOffMs = (attempts: number): number => Math.min(30_000, 1000 * attempts);

export type EventService = ReturnType<typeof createEventService>;

export function createEventService(parts: DeliveryParts & { log: Log }) {
  const { database, log } = parts;
  const counts = { delivered: 0, failed: 0, waiting: 0 };
  const handlers = deliverHandlers({ ...parts, onOutcome: (state) => void (counts[state] += 1) });
  const runner = new JobRunner({ database, log, handlers, concurrency: endpointsAtOnce, backOffMs });
  const timers: NodeJS.Timeout[] = [];
  let stopped = false;
  let handingOut: Promise<unknown> | null = null;

  function handOut(): void {
    if (stopped) return;
    handingOut ??= fanOut(database)
      .catch((error: unknown) => log.warn({ err: error }, 'could not hand out events'))
      .finally(() => (handingOut = null));
  }
  function sweep(): void {
    void sweepDeliveries(database).catch((error: unknown) =>
      log.warn({ err: error }, 'could not forget old deliveries'),
    );
  }

  return {
    start(): void {
      runner.start();
      database.onNewRows('events', handOut);
      timers.push(
        setInterval(handOut, lookEveryMs(database)).unref(),
        setInterval(sweep, sweepEveryMs).unref(),
      );
      sweep();
    },
    async stop(graceMs: number): Promise<void> {
      stopped = true;
      for (const timer of timers) clearInterval(timer);
      await Promise.all([handingOut, runner.stop(graceMs)]);
    },
    /** Of attempts since the start. */
    delivered: (): number => counts.delivered,
    failed: (): number => counts.failed,
    waiting: () => countWaiting(database),
  };
}

async function countWaiting(database: Database): Promise<number> {
  const { count } = await database.read
    .selectFrom('webhook_deliveries')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('state', '=', 'waiting')
    .executeTakeFirstOrThrow();
  return count;
}
