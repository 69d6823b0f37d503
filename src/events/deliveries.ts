// The deliveries of an endpoint, for its owner: looked at, sent again, tried out.
import type { Database } from '../platform/database/database.ts';
import { AppError } from '../platform/errors.ts';
import { enqueue } from '../platform/jobs/jobs.ts';
import { attemptDelivery, type DeliveryParts } from './attempt-delivery.ts';
import { findEndpoint } from './endpoints.ts';
import { testType } from './event-types.ts';
import { deliverJob, newDelivery } from './new-delivery.ts';
import { eventBody, newEventId } from './record-event.ts';
import type { Webhook, WebhookDelivery } from './tables.ts';

/** What it says when the process dies in the middle of it: nobody waits for it then. */
const unfinished = { state: 'failed', last_error: 'the test was cut short' } as const;

export type DeliveryPage = { webhookId: string; limit: number; before?: string | undefined };

export async function listDeliveries(
  database: Database,
  accountId: string,
  { webhookId, limit, before }: DeliveryPage,
): Promise<WebhookDelivery[]> {
  await findEndpoint(database.read, accountId, webhookId);
  const all = database.read
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('webhook_id', '=', webhookId)
    .orderBy('delivery_id', 'desc')
    .limit(limit);
  return (before === undefined ? all : all.where('delivery_id', '<', before)).execute();
}

/** From the first attempt on, under the same id. */
export function resendDelivery(
  database: Database,
  accountId: string,
  { webhookId, deliveryId }: { webhookId: string; deliveryId: string },
): Promise<WebhookDelivery> {
  return database.write(async (tx) => {
    assertEnabled(await findEndpoint(tx, accountId, webhookId));
    const now = Date.now();
    const delivery = await tx
      .updateTable('webhook_deliveries')
      .set({ state: 'waiting', attempts: 0, next_at: now, delivered_at: null })
      .where('delivery_id', '=', deliveryId)
      .where('webhook_id', '=', webhookId)
      .returningAll()
      .executeTakeFirst();
    if (!delivery) throw new AppError('delivery_not_found');
    await enqueue(tx, [deliverJob(webhookId, now)]);
    return delivery;
  });
}

/** Sent before this resolves, as every delivery is, but tried once only: its owner sees what came of it. */
export async function sendTest(
  parts: DeliveryParts,
  accountId: string,
  webhookId: string,
): Promise<WebhookDelivery> {
  const now = Date.now();
  const [endpoint, delivery] = await parts.database.write(async (tx) => {
    const found = await findEndpoint(tx, accountId, webhookId);
    assertEnabled(found);
    const event = {
      event_id: newEventId(now),
      type: testType,
      body: eventBody(testType, { webhook_id: webhookId }, now),
    };
    const made = { ...newDelivery(found, event, now), ...unfinished };
    await tx.insertInto('webhook_deliveries').values(made).execute();
    return [found, made] as const;
  });
  return (await attemptDelivery(parts, endpoint, delivery)) ?? delivery;
}

function assertEnabled({ enabled }: Webhook): void {
  if (!enabled) throw new AppError('webhook_disabled');
}
