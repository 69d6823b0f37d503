// Who is told of events, and what became of each message.
import type { Delivery, NewWebhook, Webhook } from './api.ts';
import { type BodyOf, type CallOptions, type Calls, nextCursorOf, type QueryOf } from './calls.ts';

export type WebhookCalls = ReturnType<typeof webhookCalls>;

type DeliveryOptions = CallOptions & QueryOf<'GET /webhooks/{webhook_id}/deliveries'>;
export type DeliveryList = { readonly deliveries: readonly Delivery[]; readonly nextCursor: string | null };

export function webhookCalls(calls: Calls) {
  const of = (webhookId: string): { webhook_id: string } => ({ webhook_id: webhookId });
  return {
    /** Its secret is shown this once. */
    create: ({ signal, ...body }: CallOptions & BodyOf<'POST /webhooks/'>): Promise<NewWebhook> =>
      calls.json('POST /webhooks/', { body, signal }),
    list: async ({ signal }: CallOptions = {}): Promise<readonly Webhook[]> =>
      (await calls.json('GET /webhooks/', { signal })).webhooks,
    delete: async (webhookId: string, { signal }: CallOptions = {}): Promise<void> => {
      await calls.json('DELETE /webhooks/{webhook_id}', { path: of(webhookId), signal });
    },
    rotate: (webhookId: string, { signal }: CallOptions = {}): Promise<NewWebhook> =>
      calls.json('POST /webhooks/{webhook_id}/rotate', { path: of(webhookId), signal }),
    /** Sends one message now, and answers what became of it. */
    test: (webhookId: string, { signal }: CallOptions = {}): Promise<Delivery> =>
      calls.json('POST /webhooks/{webhook_id}/test', { path: of(webhookId), signal }),
    deliveries: async (
      webhookId: string,
      { signal, ...query }: DeliveryOptions = {},
    ): Promise<DeliveryList> => {
      const name = 'GET /webhooks/{webhook_id}/deliveries';
      const { body, headers } = await calls.answer(name, { path: of(webhookId), query, signal });
      return { ...body, nextCursor: nextCursorOf(headers) };
    },
    resend: (webhookId: string, deliveryId: string, { signal }: CallOptions = {}): Promise<Delivery> =>
      calls.json('POST /webhooks/{webhook_id}/deliveries/{delivery_id}/resend', {
        path: { ...of(webhookId), delivery_id: deliveryId },
        signal,
      }),
  };
}
