// Turns each event that waits into one delivery per endpoint subscribed at that moment, in one transaction with taking
// the event away: a process that dies here has handed out all of it or nothing.
import type { Database, Tx } from '../platform/database/database.ts';
import { lockingFreeRows } from '../platform/database/locking-rows.ts';
import { failpoint } from '../platform/failpoints.ts';
import { enqueue } from '../platform/jobs/jobs.ts';
import { splitTypes } from './event-types.ts';
import { deliverJob, newDelivery } from './new-delivery.ts';
import type { Webhook } from './tables.ts';

const eventsAtATime = 100;
const rowsPerStatement = 500;

/** Hands out all that waits; returns how many events that were. */
export async function fanOut(database: Database, now: () => number = () => database.now()): Promise<number> {
  let handedOut = 0;
  while (await somethingWaits(database)) {
    const taken = await database.write((tx) => handOutSome(tx, now()));
    failpoint('webhook:fanned-out');
    handedOut += taken;
    if (taken < eventsAtATime) break;
  }
  return handedOut;
}

async function somethingWaits(database: Database): Promise<boolean> {
  return (await database.read.selectFrom('events').select('event_id').limit(1).execute()).length > 0;
}

async function handOutSome(tx: Tx, now: number): Promise<number> {
  const events = await tx
    .deleteFrom('events')
    .where('event_id', 'in', (eb) =>
      lockingFreeRows(
        tx,
        eb.selectFrom('events').select('event_id').orderBy('event_id').limit(eventsAtATime),
      ),
    )
    .returningAll()
    .execute();
  if (events.length === 0) return 0;
  events.sort((left, right) => (left.event_id < right.event_id ? -1 : 1));
  const endpoints = await enabledEndpoints(tx, [...new Set(events.map((event) => event.account_id))]);
  const deliveries = events.flatMap((event) =>
    (endpoints.get(event.account_id) ?? [])
      .filter((endpoint) => splitTypes(endpoint.events).includes(event.type))
      .map((endpoint) => newDelivery(endpoint, event, now)),
  );
  for (let start = 0; start < deliveries.length; start += rowsPerStatement) {
    await tx
      .insertInto('webhook_deliveries')
      .values(deliveries.slice(start, start + rowsPerStatement))
      // An event recorded twice by who could not know better.
      .onConflict((conflict) => conflict.columns(['webhook_id', 'event_id']).doNothing())
      .execute();
  }
  const told = new Set(deliveries.map((delivery) => delivery.webhook_id));
  await enqueue(
    tx,
    [...told].map((webhookId) => deliverJob(webhookId, now)),
  );
  failpoint('webhook:fanning-out');
  return events.length;
}

async function enabledEndpoints(
  tx: Tx,
  accountIds: readonly string[],
): Promise<Map<string, Pick<Webhook, 'webhook_id' | 'events'>[]>> {
  const rows = await tx
    .selectFrom('webhooks')
    .select(['webhook_id', 'account_id', 'events'])
    .where('account_id', 'in', accountIds)
    .where('enabled', '=', 1)
    .execute();
  return Map.groupBy(rows, (row) => row.account_id);
}
