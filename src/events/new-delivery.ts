// A delivery's row before its first attempt, and the job that makes the attempts. One job per endpoint, whatever waits
// for it: so a receiver that hangs holds up only what is meant for itself.
import type { Job } from '../platform/jobs/jobs.ts';
import { randomHex } from '../platform/random.ts';
import type { EventTable, Webhook, WebhookDelivery } from './tables.ts';

export const deliverKind = 'deliver-webhooks';
export type DeliverPayload = { webhook_id: string };

const idPrefix = 'whd_';

export function newDelivery(
  { webhook_id }: Pick<Webhook, 'webhook_id'>,
  event: Pick<EventTable, 'event_id' | 'type' | 'body'>,
  now: number,
): WebhookDelivery {
  return {
    delivery_id: firstDeliveryIdAt(now) + randomHex(6),
    webhook_id,
    event_id: event.event_id,
    type: event.type,
    body: event.body,
    state: 'waiting',
    attempts: 0,
    next_at: now,
    last_status: null,
    last_error: null,
    last_duration_ms: null,
    created_at: now,
    delivered_at: null,
  };
}

/** All made before that time come before it. */
export function firstDeliveryIdAt(ms: number): string {
  return idPrefix + ms.toString(16).padStart(12, '0');
}

export function deliverJob(webhookId: string, runAt: number): Job {
  return {
    kind: deliverKind,
    key: webhookId,
    payload: { webhook_id: webhookId } satisfies DeliverPayload,
    runAt,
  };
}
