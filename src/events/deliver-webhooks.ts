// The job of one endpoint: makes the attempts that are due, a few at a time and for a little while, and asks for itself
// again at the time of the next. What waits for an endpoint that was switched off fails.
import type { Database, Tx } from '../platform/database/database.ts';
import { lockingRows } from '../platform/database/locking-rows.ts';
import { enqueue, type JobHandler } from '../platform/jobs/jobs.ts';
import { attemptDelivery, type DeliveryParts } from './attempt-delivery.ts';
import { deliverJob, deliverKind, type DeliverPayload } from './new-delivery.ts';
import type { Webhook, WebhookDelivery } from './tables.ts';

const atATime = 4;
/** After this the endpoint goes to the end of the queue, so that one with much to receive leaves room for others. */
const sliceMs = 3000;

export function deliverHandlers(parts: DeliveryParts): Record<typeof deliverKind, JobHandler> {
  return {
    [deliverKind]: {
      run: ({ webhook_id: webhookId }: DeliverPayload, { signal }) => deliverDue(parts, webhookId, signal),
      // Only our own faults end up here, and while they last nothing may be given up.
      maxAttempts: Number.MAX_SAFE_INTEGER,
    },
  };
}

export async function deliverDue(
  parts: DeliveryParts,
  webhookId: string,
  signal?: AbortSignal,
): Promise<void> {
  const { database, now = () => database.now() } = parts;
  const endsAt = performance.now() + sliceMs;
  while (performance.now() < endsAt) {
    const endpoint = await findEndpoint(database, webhookId);
    if (!endpoint?.enabled) break;
    const due = await findDue(database, webhookId, now());
    if (due.length === 0) break;
    await Promise.all(due.map((delivery) => attemptDelivery(parts, endpoint, delivery, signal)));
    signal?.throwIfAborted();
  }
  await database.write((tx) => comeBack(tx, webhookId));
}

function findEndpoint(database: Database, webhookId: string): Promise<Webhook | undefined> {
  return database.read
    .selectFrom('webhooks')
    .selectAll()
    .where('webhook_id', '=', webhookId)
    .executeTakeFirst();
}

function findDue(database: Database, webhookId: string, now: number): Promise<WebhookDelivery[]> {
  return database.read
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('state', '=', 'waiting')
    .where('webhook_id', '=', webhookId)
    .where('next_at', '<=', now)
    .orderBy('next_at')
    .orderBy('delivery_id')
    .limit(atATime)
    .execute();
}

/** In a transaction, so that what is handed out at this moment is either seen here or asks for us itself. */
async function comeBack(tx: Tx, webhookId: string): Promise<void> {
  const row = tx.selectFrom('webhooks').select('enabled').where('webhook_id', '=', webhookId);
  const endpoint = await lockingRows(tx, row).executeTakeFirst();
  const waiting = { state: 'waiting', webhook_id: webhookId } as const;
  if (!endpoint?.enabled) {
    await tx
      .updateTable('webhook_deliveries')
      .set({ state: 'failed', last_error: 'the webhook was switched off' })
      .where((eb) => eb.and(waiting))
      .execute();
    return;
  }
  const next = await tx
    .selectFrom('webhook_deliveries')
    .select('next_at')
    .where((eb) => eb.and(waiting))
    .orderBy('next_at')
    .limit(1)
    .executeTakeFirst();
  if (next) await enqueue(tx, [deliverJob(webhookId, next.next_at)]);
}
