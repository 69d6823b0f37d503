// The rows of events that wait to be handed out, of the endpoints that want them, and of every delivery to one.
import { type Selectable, sql } from 'kysely';
import type { Migration } from '../platform/database/database.ts';

export type EventTable = {
  event_id: string;
  account_id: string;
  type: string;
  /** What receivers get, as it is sent. */
  body: string;
};

export type WebhookTable = {
  webhook_id: string;
  account_id: string;
  url: string;
  /** Each between spaces, so that one text can be searched for another: ` video.ready video.failed `. */
  events: string;
  enabled: number;
  disabled_reason: string | null;
  /** `settings`: the address among the account's settings, kept in step with it. */
  source: 'api' | 'settings';
  secret_sealed: string;
  /** The secret before a rotation, which signs too until its time ends. */
  previous_secret_sealed: string | null;
  previous_until: number | null;
  created_at: number;
};
export type Webhook = Selectable<WebhookTable>;

export type DeliveryState = 'waiting' | 'delivered' | 'failed';
export type WebhookDeliveryTable = {
  /** In the order of time. Receivers know it as the message's id, the same at every attempt. */
  delivery_id: string;
  webhook_id: string;
  event_id: string;
  type: string;
  body: string;
  state: DeliveryState;
  attempts: number;
  next_at: number;
  last_status: number | null;
  last_error: string | null;
  last_duration_ms: number | null;
  created_at: number;
  delivered_at: number | null;
};
export type WebhookDelivery = Selectable<WebhookDeliveryTable>;

declare module '../platform/database/database.ts' {
  interface Tables {
    events: EventTable;
    webhooks: WebhookTable;
    webhook_deliveries: WebhookDeliveryTable;
  }
}

/** To be applied after those of accounts. */
export const eventMigrations: Migration[] = [
  {
    name: '0005-events',
    async up(tx) {
      await tx.schema
        .createTable('events')
        .addColumn('event_id', 'text', (column) => column.primaryKey())
        .addColumn('account_id', 'text', (column) => column.notNull())
        .addColumn('type', 'text', (column) => column.notNull())
        .addColumn('body', 'text', (column) => column.notNull())
        .execute();
      await tx.schema
        .createTable('webhooks')
        .addColumn('webhook_id', 'text', (column) => column.primaryKey())
        .addColumn('account_id', 'text', (column) =>
          column.notNull().references('accounts.account_id').onDelete('cascade'),
        )
        .addColumn('url', 'text', (column) => column.notNull())
        .addColumn('events', 'text', (column) => column.notNull())
        .addColumn('enabled', 'bigint', (column) => column.notNull())
        .addColumn('disabled_reason', 'text')
        .addColumn('source', 'text', (column) => column.notNull())
        .addColumn('secret_sealed', 'text', (column) => column.notNull())
        .addColumn('previous_secret_sealed', 'text')
        .addColumn('previous_until', 'bigint')
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .execute();
      await tx.schema.createIndex('webhooks_account').on('webhooks').column('account_id').execute();
      await tx.schema
        .createTable('webhook_deliveries')
        .addColumn('delivery_id', 'text', (column) => column.primaryKey())
        .addColumn('webhook_id', 'text', (column) =>
          column.notNull().references('webhooks.webhook_id').onDelete('cascade'),
        )
        .addColumn('event_id', 'text', (column) => column.notNull())
        .addColumn('type', 'text', (column) => column.notNull())
        .addColumn('body', 'text', (column) => column.notNull())
        .addColumn('state', 'text', (column) => column.notNull())
        .addColumn('attempts', 'bigint', (column) => column.notNull())
        .addColumn('next_at', 'bigint', (column) => column.notNull())
        .addColumn('last_status', 'bigint')
        .addColumn('last_error', 'text')
        .addColumn('last_duration_ms', 'bigint')
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('delivered_at', 'bigint')
        .addUniqueConstraint('webhook_deliveries_event', ['webhook_id', 'event_id'])
        .execute();
      await tx.schema
        .createIndex('webhook_deliveries_due')
        .on('webhook_deliveries')
        .columns(['state', 'webhook_id', 'next_at'])
        .execute();
      await tx.schema
        .createIndex('webhook_deliveries_listed')
        .on('webhook_deliveries')
        .columns(['webhook_id', 'delivery_id'])
        .execute();
      await moveSettings(tx);
    },
  },
];

/** Addresses set before there were endpoints become endpoints; from now on the secret is theirs alone. */
async function moveSettings(tx: Parameters<Migration['up']>[0]): Promise<void> {
  await sql`insert into webhooks
      (webhook_id, account_id, url, events, enabled, source, secret_sealed, created_at)
    select 'wh_' || substr(account_id, 5), account_id, webhook_url, ' video.ready video.failed ', 1, 'settings',
      webhook_secret_sealed, created_at
    from accounts where webhook_url is not null and webhook_secret_sealed is not null`.execute(tx);
  await sql`update accounts set webhook_secret_sealed = null where webhook_secret_sealed is not null`.execute(
    tx,
  );
}
