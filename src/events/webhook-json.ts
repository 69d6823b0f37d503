// Endpoints and deliveries as the API takes and shows them.
import { type Static, Type } from 'typebox';
import { AppError } from '../platform/errors.ts';
import { eventTypes, splitTypes } from './event-types.ts';
import type { Webhook, WebhookDelivery } from './tables.ts';

const eventsFault = `Field "events" must be a list of ${eventTypes.join(', ')}`;
const urlFault = 'Field "url" must be an address of at most 2048 characters';
const nullableText = () => Type.Unsafe<string | null>({ type: ['string', 'null'] });
const nullableInteger = () => Type.Unsafe<number | null>({ type: ['integer', 'null'] });

export const CreateBody = Type.Object(
  {
    url: Type.String({ minLength: 1, maxLength: 2048, 'x-error': urlFault }),
    events: Type.Optional(
      Type.Array(Type.Enum([...eventTypes], { 'x-error': eventsFault }), {
        minItems: 1,
        maxItems: 50,
        description: 'What to be told of; left out, `video.ready` and `video.failed`',
        'x-error': eventsFault,
      }),
    ),
  },
  { additionalProperties: false },
);

const endpointFields = {
  webhook_id: Type.String(),
  url: Type.String(),
  events: Type.Array(Type.String()),
  enabled: Type.Boolean(),
};
export const MadeWebhook = Type.Object({
  ...endpointFields,
  secret: Type.String({ description: 'Shown this once' }),
});
const ListedWebhook = Type.Object({
  ...endpointFields,
  disabled_reason: nullableText(),
  source: Type.Enum(['api', 'settings'], { description: '`settings`: the account’s `webhook_url`' }),
  created_at: Type.String({ format: 'date-time' }),
});
export const WebhookList = Type.Object({ webhooks: Type.Array(ListedWebhook) });
export const DeletedWebhook = Type.Object({ webhook_id: Type.String(), status: Type.String() });

export const DeliveryRecord = Type.Object({
  delivery_id: Type.String({ description: 'What receivers see as `webhook-id`' }),
  type: Type.String(),
  state: Type.Enum(['waiting', 'delivered', 'failed']),
  attempts: Type.Integer(),
  next_attempt_at: nullableText(),
  status: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'Of the last attempt; null when there was no answer',
  }),
  error: nullableText(),
  duration_ms: nullableInteger(),
  created_at: Type.String({ format: 'date-time' }),
  delivered_at: nullableText(),
  payload: Type.Unknown({ description: 'What is sent' }),
});
export const DeliveryList = Type.Object({ deliveries: Type.Array(DeliveryRecord) });

export const PageQuery = Type.Object({
  limit: Type.Integer({
    minimum: 1,
    maximum: 100,
    default: 20,
    'x-error': 'Query parameter "limit" must be a whole number from 1 to 100',
  }),
  cursor: Type.Optional(Type.String({ description: 'As in the Link header' })),
});

export function webhookRecord(endpoint: Webhook) {
  return {
    webhook_id: endpoint.webhook_id,
    url: endpoint.url,
    events: splitTypes(endpoint.events),
    enabled: endpoint.enabled === 1,
  };
}

export function listedWebhook(endpoint: Webhook): Static<typeof ListedWebhook> {
  return {
    ...webhookRecord(endpoint),
    disabled_reason: endpoint.disabled_reason,
    source: endpoint.source,
    created_at: isoTime(endpoint.created_at),
  };
}

export function deliveryRecord(delivery: WebhookDelivery): Static<typeof DeliveryRecord> {
  return {
    delivery_id: delivery.delivery_id,
    type: delivery.type,
    state: delivery.state,
    attempts: delivery.attempts,
    next_attempt_at: delivery.state === 'waiting' ? isoTime(delivery.next_at) : null,
    status: delivery.last_status,
    error: delivery.last_error,
    duration_ms: delivery.last_duration_ms,
    created_at: isoTime(delivery.created_at),
    delivered_at: delivery.delivered_at === null ? null : isoTime(delivery.delivered_at),
    payload: JSON.parse(delivery.body),
  };
}

/** The last delivery of a page names the next one. */
export function cursorAfter({ delivery_id: id }: WebhookDelivery): string {
  return Buffer.from(id).toString('base64url');
}

export function parseCursor(cursor: string | undefined): string | undefined {
  if (!cursor) return undefined;
  const id = Buffer.from(cursor, 'base64url').toString();
  if (!/^whd_[0-9a-f]{24}$/.test(id))
    throw new AppError('bad_request', 'Query parameter "cursor" must be empty or come from a Link header');
  return id;
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
