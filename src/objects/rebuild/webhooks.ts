// The webhooks in the manifest of a bucket, of whatever age it is.
import type { Account } from '../../accounts/tables.ts';
import { defaultEventTypes, joinTypes } from '../../events/event-types.ts';
import type { Webhook } from '../../events/tables.ts';
import { DamagedManifest } from './report.ts';
import type { RowReaders } from './rows.ts';

/** Throws DamagedManifest. */
export function readWebhooks(rows: RowReaders, value: unknown, account: Account): Webhook[] {
  if (value === undefined) return partOfAccount(account);
  if (!Array.isArray(value)) throw new DamagedManifest('has no webhooks');
  const webhooks = value.map(rows.webhook);
  if (webhooks.some((one) => one.account_id !== account.account_id))
    throw new DamagedManifest('has a webhook of another account');
  return webhooks;
}

/** As it was when an account had one at most, whose secret was kept with the account. */
function partOfAccount(account: Account): Webhook[] {
  const { account_id, webhook_url: url, webhook_secret_sealed: secret, created_at } = account;
  if (url === null || secret === null) return [];
  return [
    {
      webhook_id: account_id.replace(/^acc_/, 'wh_'),
      account_id,
      url,
      events: joinTypes(defaultEventTypes),
      enabled: 1,
      disabled_reason: null,
      source: 'settings',
      secret_sealed: secret,
      previous_secret_sealed: null,
      previous_until: null,
      created_at,
    },
  ];
}
