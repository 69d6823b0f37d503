// One attempt to deliver: a signed POST, and what its outcome makes of the delivery. A process that dies between the two
// sends again, under the same id.
import type { Database, Tx } from '../platform/database/database.ts';
import { callOut } from '../platform/egress/call-out.ts';
import type { Resolve } from '../platform/egress/guarded-lookup.ts';
import { failpoint } from '../platform/failpoints.ts';
import type { SecretBox } from '../platform/secrets.ts';
import { testType } from './event-types.ts';
import { signedHeaders } from './sign-delivery.ts';
import type { Webhook, WebhookDelivery } from './tables.ts';

export type DeliveryParts = {
  database: Database;
  secretBox: SecretBox;
  allowPrivate: boolean;
  /** Runs in the transaction that changes an endpoint. */
  endpointsChanged: (tx: Tx, accountId: string) => Promise<void>;
  onOutcome?: (state: WebhookDelivery['state']) => void;
  resolve?: Resolve;
  now?: () => number;
  deadlineMs?: number;
};
type Outcome = { status: number | null; error: string | null; durationMs: number };

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** How long after each failed attempt the next one comes; after the last there is none. */
export const retryDelaysMs = [
  5000,
  5 * minuteMs,
  30 * minuteMs,
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hourMs),
];
const defaultDeadlineMs = 15_000;
const gone = 410;
const goneReason = 'The receiver answered 410 Gone';

/** Null when the process is to stop: the attempt does not count. */
export async function attemptDelivery(
  parts: DeliveryParts,
  endpoint: Webhook,
  delivery: WebhookDelivery,
  signal?: AbortSignal,
): Promise<WebhookDelivery | null> {
  const outcome = await send(parts, endpoint, delivery, signal);
  failpoint('webhook:sent');
  if (signal?.aborted) return null;
  const after = afterwards(delivery, outcome, (parts.now ?? Date.now)());
  await parts.database.write(async (tx) => {
    await tx
      .updateTable('webhook_deliveries')
      .set(after)
      .where('delivery_id', '=', delivery.delivery_id)
      // Asked for anew meanwhile: that stands.
      .where('next_at', '=', delivery.next_at)
      .execute();
    if (outcome.status === gone) await switchOff(parts, tx, endpoint);
  });
  failpoint('webhook:recorded');
  parts.onOutcome?.(after.state);
  return { ...delivery, ...after };
}

async function send(
  { secretBox, allowPrivate, resolve, now = Date.now, deadlineMs = defaultDeadlineMs }: DeliveryParts,
  endpoint: Webhook,
  delivery: WebhookDelivery,
  signal?: AbortSignal,
): Promise<Outcome> {
  const startedAt = performance.now();
  const ended = (): { durationMs: number } => ({ durationMs: Math.round(performance.now() - startedAt) });
  let headers: Record<string, string>;
  try {
    headers = signedHeaders(secretBox, endpoint, delivery, now());
  } catch {
    return { status: null, error: 'the secret cannot be opened any more; rotate it', ...ended() };
  }
  try {
    const { status } = await callOut({
      audience: 'account',
      allowPrivate,
      ...(resolve ? { resolve } : {}),
      url: endpoint.url,
      method: 'POST',
      headers,
      body: delivery.body,
      deadlineMs,
      ...(signal ? { signal } : {}),
    });
    return { status, error: isSuccess(status) ? null : `answered ${status}`, ...ended() };
  } catch (error) {
    return { status: null, error: (error as Error).message, ...ended() };
  }
}

const isSuccess = (status: number | null): boolean => status !== null && status >= 200 && status <= 299;

function afterwards(delivery: WebhookDelivery, { status, error, durationMs }: Outcome, now: number) {
  const attempts = delivery.attempts + 1;
  const last = { last_status: status, last_error: error, last_duration_ms: durationMs };
  if (isSuccess(status)) return { ...last, attempts, state: 'delivered', delivered_at: now } as const;
  // Whoever asked for a test sees its outcome at once.
  const delayMs = delivery.type === testType || status === gone ? undefined : retryDelaysMs[attempts - 1];
  if (delayMs === undefined) return { ...last, attempts, state: 'failed' } as const;
  return { ...last, attempts, state: 'waiting', next_at: now + delayMs } as const;
}

async function switchOff(parts: DeliveryParts, tx: Tx, endpoint: Webhook): Promise<void> {
  await tx
    .updateTable('webhooks')
    .set({ enabled: 0, disabled_reason: goneReason })
    .where('webhook_id', '=', endpoint.webhook_id)
    // Given another address meanwhile: that one has not said so.
    .where('url', '=', endpoint.url)
    .execute();
  await parts.endpointsChanged(tx, endpoint.account_id);
}
