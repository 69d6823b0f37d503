// /webhooks/: an account manages the endpoints that are told of its events, and sees what became of every delivery.
import { type TSchema, Type } from 'typebox';
import type { HttpApp } from '../platform/http/http-server.ts';
import type { DeliveryParts } from './attempt-delivery.ts';
import { listDeliveries, resendDelivery, sendTest } from './deliveries.ts';
import {
  createEndpoint,
  deleteEndpoint,
  listEndpoints,
  type MadeEndpoint,
  rotateSecret,
} from './endpoints.ts';
import {
  CreateBody,
  cursorAfter,
  DeletedWebhook,
  DeliveryList,
  DeliveryRecord,
  deliveryRecord,
  listedWebhook,
  MadeWebhook,
  PageQuery,
  parseCursor,
  WebhookList,
  webhookRecord,
} from './webhook-json.ts';

const WebhookPath = Type.Object({ webhook_id: Type.String() });
const DeliveryPath = Type.Object({ webhook_id: Type.String(), delivery_id: Type.String() });

const config = { scope: 'account' } as const;
const tags = ['Webhooks'];
const one = { tags, params: WebhookPath };
const creating = { summary: 'Make a webhook', tags, body: CreateBody, response: { 200: MadeWebhook } };
const listing = { summary: 'List the webhooks, without their secrets', tags, response: { 200: WebhookList } };
const deleting = { ...one, summary: 'Delete a webhook', response: { 200: DeletedWebhook } };
const rotating = {
  ...one,
  summary: 'Give a webhook a new secret; the old one signs too for 24 hours',
  response: { 200: MadeWebhook },
};
const testing = {
  ...one,
  summary: 'Send a `webhook.test` event now',
  response: { 200: DeliveryRecord as TSchema },
};
const logging = {
  ...one,
  summary: 'Deliveries of the last 30 days, newest first',
  querystring: PageQuery,
  response: { 200: DeliveryList as TSchema },
};
const resending = {
  summary: 'Send a delivery again, under the same id',
  tags,
  params: DeliveryPath,
  response: { 200: DeliveryRecord as TSchema },
};

export function webhookRoutes(app: HttpApp, parts: DeliveryParts): void {
  const { database } = parts;

  app.post('/webhooks/', { config, schema: creating }, async ({ body, caller }) =>
    madeWebhook(
      await createEndpoint(parts, caller.account.account_id, { url: body.url, types: body.events }),
    ),
  );

  app.get('/webhooks/', { config, schema: listing }, async ({ caller }) => ({
    webhooks: (await listEndpoints(database, caller.account.account_id)).map(listedWebhook),
  }));

  app.delete('/webhooks/:webhook_id', { config, schema: deleting }, async ({ params, caller }) => {
    await deleteEndpoint(parts, caller.account.account_id, params.webhook_id);
    return { webhook_id: params.webhook_id, status: 'success' };
  });

  app.post('/webhooks/:webhook_id/rotate', { config, schema: rotating }, async ({ params, caller }) =>
    madeWebhook(await rotateSecret(parts, caller.account.account_id, params.webhook_id)),
  );

  app.post('/webhooks/:webhook_id/test', { config, schema: testing }, async ({ params, caller }) =>
    deliveryRecord(await sendTest(parts, caller.account.account_id, params.webhook_id)),
  );

  deliveryRoutes(app, parts);
}

function deliveryRoutes(app: HttpApp, { database }: DeliveryParts): void {
  app.get(
    '/webhooks/:webhook_id/deliveries',
    { config, schema: logging },
    async ({ params, query, caller }, reply) => {
      const { webhook_id: webhookId } = params;
      const page = { webhookId, limit: query.limit, before: parseCursor(query.cursor) };
      const deliveries = await listDeliveries(database, caller.account.account_id, page);
      const last = deliveries.at(-1);
      if (last && deliveries.length === query.limit) {
        const next = new URLSearchParams({ limit: String(query.limit), cursor: cursorAfter(last) });
        reply.header('Link', `</webhooks/${webhookId}/deliveries?${next.toString()}>; rel="next"`);
      }
      return { deliveries: deliveries.map(deliveryRecord) };
    },
  );

  app.post(
    '/webhooks/:webhook_id/deliveries/:delivery_id/resend',
    { config, schema: resending },
    async ({ params, caller }) => {
      const which = { webhookId: params.webhook_id, deliveryId: params.delivery_id };
      return deliveryRecord(await resendDelivery(database, caller.account.account_id, which));
    },
  );
}

function madeWebhook({ endpoint, secret }: MadeEndpoint) {
  return { ...webhookRecord(endpoint), secret };
}
